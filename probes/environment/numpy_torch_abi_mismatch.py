from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.environment.types import NumpyBridge


@probe(id="ENV003", stage=Stage.ENVIRONMENT, severity=Severity.ERROR, explains=("DAT003", "DAT022", "LOS003"))
def numpy_torch_abi_mismatch(numpy_bridge: NumpyBridge) -> Findings:
    """NumPy and torch are binary incompatible, so arrays and tensors cannot be converted."""
    bridge = numpy_bridge
    if bridge.failed:
        yield Finding(
            where=f"numpy {bridge.numpy} beside torch {bridge.torch}",
            message=f"{bridge.failed}: {bridge.error}; expected three numbers to come through as they are",
            fix="install numpy and torch of the same age: pip install -c constraints.txt numpy torch",
            measured={"numpy": bridge.numpy, "torch": bridge.torch, "failed": bridge.failed},
        )
