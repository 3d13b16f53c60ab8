from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "add an epsilon to the divisor, or skip the rows where it is zero"


@probe(id="LOS054", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def division_by_zero(nan_origin: BisectResult) -> Findings:
    """A value is divided by zero."""
    for origin in nan_origin.with_cause("division by zero"):
        yield nonfinite_finding(origin, f"{origin.operation} in {origin.where} has a divisor of zero", FIX)
