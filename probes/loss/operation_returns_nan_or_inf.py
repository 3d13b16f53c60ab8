from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "check this line and the range of its inputs"


@probe(id="LOS060", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def operation_returns_nan_or_inf(nan_origin: BisectResult) -> Findings:
    """An operation returns NaN or Inf because its inputs are outside its domain."""
    for origin in nan_origin.with_cause("arithmetic"):
        yield nonfinite_finding(
            origin, f"{origin.operation} in {origin.where} has no finite result for its inputs", FIX
        )
