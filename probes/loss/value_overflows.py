from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "scale the inputs of this operation down, normalise before it, or keep it in float32 (bf16 instead of fp16)"


@probe(id="LOS052", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def value_overflows(nan_origin: BisectResult) -> Findings:
    """A value overflows: it exceeds the largest number of its dtype."""
    for origin in nan_origin.with_cause("overflow"):
        yield nonfinite_finding(
            origin, f"{origin.operation} in {origin.where} gave more than {origin.values[-1].dtype} can hold", FIX
        )
