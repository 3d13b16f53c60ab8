from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "repair or drop the rows that are named, and guard the collator with isfinite"


@probe(id="LOS050", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def batch_value_is_not_finite(nan_origin: BisectResult) -> Findings:
    """A value in the batch is NaN or Inf, which makes the step non-finite."""
    for origin in nan_origin.with_cause("data"):
        refused = f"{origin.module} holds it, and the dataset refuses to read such a file"
        story = refused if origin.kind else f"{origin.module} came out of the collator so"
        yield nonfinite_finding(origin, story, FIX)
