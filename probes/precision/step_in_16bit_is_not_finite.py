from diagnose import Findings, Severity, Stage, probe
from probes.facts.precision.types import PrecisionComparison
from probes.precision.epsilon_underflows_in_16bit import ZEROS
from probes.reporting.precision_finding import failed_run_finding, failed_runs, fix_for


@probe(id="PRE007", stage=Stage.PRECISION, severity=Severity.ERROR, explains=("PRE*", "LRN*", "GEN*"))
def step_in_16bit_is_not_finite(precision_comparison: PrecisionComparison) -> Findings:
    """A step in 16 bits gives NaN or Inf, although no float32 value is out of range."""
    scale = precision_comparison.scale
    for run, origin, only_cpu in failed_runs(precision_comparison):
        overflow = origin.cause in ("overflow", "weights")
        backward = origin.phase == "backward pass" and scale is not None and scale.settled < 1  # see PRE002
        predicted = run.predicted is not None and origin.phase != "backward pass"
        if origin.cause in ZEROS or (overflow and (backward or predicted)):
            continue
        story = f"{origin.operation or 'a weight'} gives NaN or Inf, but not in float32"
        yield failed_run_finding(run, origin, only_cpu, story, fix_for(run))
