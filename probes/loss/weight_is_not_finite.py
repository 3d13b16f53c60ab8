from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "load the weights again from a complete checkpoint, or initialize this module"


@probe(id="LOS051", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def weight_is_not_finite(nan_origin: BisectResult) -> Findings:
    """A weight is NaN or Inf before the step, which makes the step non-finite."""
    for origin in nan_origin.with_cause("weights"):
        yield nonfinite_finding(origin, f"the weight {origin.module} is NaN or Inf before the step", FIX)
