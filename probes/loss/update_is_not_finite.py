from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "set a finite learning rate and weight decay, and an eps that the dtype can represent (1e-8 is 0 in float16)"


@probe(id="LOS059", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def update_is_not_finite(nan_origin: BisectResult) -> Findings:
    """The optimizer update makes a weight NaN or Inf, although loss and gradients are finite."""
    for origin in nan_origin.with_cause("update"):
        yield nonfinite_finding(origin, f"{origin.operation} produced it in the first update", FIX)
