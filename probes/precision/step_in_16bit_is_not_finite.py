from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.precision.types import PrecisionComparison
from probes.precision.epsilon_underflows_in_16bit import ZEROS
from probes.reporting.nonfinite_finding import nonfinite_finding
from probes.reporting.precision_finding import describe_mode, failed_runs, fix_for


@probe(id="PRE007", stage=Stage.PRECISION, severity=Severity.ERROR, explains=("PRE*", "LRN*", "GEN*"))
def step_in_16bit_is_not_finite(precision_comparison: PrecisionComparison) -> Iterator[Finding]:
    """A step in 16 bits gives NaN or Inf, although no float32 value is out of range."""
    for run, only_cpu in failed_runs(precision_comparison):
        origin = run.origin
        if origin is None or origin.cause in ZEROS:
            continue
        overflow = origin.cause in ("overflow", "weights")
        scale = precision_comparison.scale
        backward = origin.phase == "backward pass" and scale is not None and scale.settled < 1  # see PRE002
        if overflow and (backward or (run.predicted is not None and origin.phase != "backward pass")):
            continue
        only = "; on a GPU it is finite" if only_cpu else ""
        yield nonfinite_finding(
            origin,
            f"{describe_mode(run)}, {origin.operation or 'a weight'} gives what float32 does not{only}",
            fix_for(run),
            Severity.WARNING if only_cpu else None,
        )
