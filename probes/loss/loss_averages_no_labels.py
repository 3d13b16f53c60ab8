from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "drop batches without a scored label, or divide by max(count, 1)"


@probe(id="LOS057", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def loss_averages_no_labels(nan_origin: BisectResult) -> Findings:
    """The loss is a mean over zero labels, which is NaN."""
    for origin in nan_origin.with_cause("nothing scored"):
        yield nonfinite_finding(origin, f"{origin.operation} in {origin.where} divides by a count of zero", FIX)
