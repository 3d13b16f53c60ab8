from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "leave at least one position of each row unmasked, or mask with a large finite number instead of -inf"


@probe(id="LOS056", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def softmax_row_is_all_masked(nan_origin: BisectResult) -> Findings:
    """A softmax row is fully masked, so its output is NaN."""
    for origin in nan_origin.with_cause("fully masked"):
        yield nonfinite_finding(origin, f"{origin.operation} in {origin.where} received a row with only -inf", FIX)
