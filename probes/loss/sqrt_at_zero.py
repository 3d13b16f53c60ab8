from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "add an epsilon inside the root: (x + eps).sqrt()"


@probe(id="LOS055", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def sqrt_at_zero(nan_origin: BisectResult) -> Findings:
    """A square root, power or norm is computed where its value or gradient is not finite."""
    for origin in nan_origin.with_cause("root at zero"):
        yield nonfinite_finding(
            origin, f"{origin.operation} in {origin.where} has no finite value or gradient there ({origin.phase})", FIX
        )
