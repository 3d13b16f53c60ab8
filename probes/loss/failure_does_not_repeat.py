from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.nonfinite.types import BisectResult
from probes.reporting.nonfinite_finding import nonfinite_finding

FIX = "seed every source of randomness of the step and turn on torch.use_deterministic_algorithms(True)"


@probe(id="LOS061", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS0*", "GRD*", "PRE*", "LRN*", "GEN*"))
def failure_does_not_repeat(nan_origin: BisectResult) -> Iterator[Finding]:
    """The step was not finite once, and finite when it was repeated."""
    origin = nan_origin.origin
    if origin is not None and origin.cause == "unsteady":
        yield nonfinite_finding(origin, "three replays from the same random state were finite", FIX)
