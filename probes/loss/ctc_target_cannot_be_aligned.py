from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "shorten or drop this row, reduce the encoder's stride, or set zero_infinity=True"


@probe(id="LOS058", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def ctc_target_cannot_be_aligned(nan_origin: BisectResult) -> Findings:
    """A CTC target cannot be aligned with its frames, so the loss is infinite."""
    for origin in nan_origin.with_cause("ctc target too long"):
        yield nonfinite_finding(origin, f"{origin.operation} in {origin.where} found no alignment", FIX)
