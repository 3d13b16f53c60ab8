from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.environment.types import NumpyBridge


@probe(id="ENV003", stage=Stage.ENVIRONMENT, severity=Severity.ERROR, explains=("DAT003", "DAT022", "LOS003"))
def numpy_torch_abi_mismatch(numpy_bridge: NumpyBridge) -> Findings:
    """NumPy and torch are binary incompatible, so arrays and tensors cannot be converted."""
    bridge = numpy_bridge
    if bridge.failed:
        yield Finding(
            where=f"numpy {bridge.numpy} with torch {bridge.torch}",
            message=f"{bridge.failed}: {bridge.error}; expected an array of three numbers to be converted unchanged",
            fix="install compatible versions of numpy and torch: pip install -c constraints.txt numpy torch",
            measured={"numpy": bridge.numpy, "torch": bridge.torch, "failed": bridge.failed},
        )
