from diagnose import Findings, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "seed every source of randomness of the step and turn on torch.use_deterministic_algorithms(True)"


@probe(id="LOS061", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def nonfinite_step_is_not_reproducible(nan_origin: BisectResult) -> Findings:
    """A non-finite step is not reproducible: repeated from the same RNG state, it is finite."""
    for origin in nan_origin.with_cause("unsteady"):
        yield nonfinite_finding(origin, "three replays from the same RNG state are finite", FIX)
