from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "clamp the argument from below (log(x.clamp_min(eps))) or use log_softmax, logsumexp or log1p"


@probe(id="LOS053", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def log_of_zero(nan_origin: BisectResult) -> Findings:
    """The logarithm of zero or of a negative number is computed."""
    for origin in nan_origin.with_cause("log of zero"):
        yield nonfinite_finding(origin, f"{origin.operation} in {origin.where} has an argument of zero or less", FIX)
