from diagnose import Findings, Severity, Stage, probe
from probes.facts.precision.types import FORMATS, PrecisionComparison
from probes.reporting.precision_finding import failed_run_finding, failed_runs, fix_for


@probe(id="PRE001", stage=Stage.PRECISION, severity=Severity.ERROR, explains=("PRE*", "LRN*", "GEN*"))
def activation_overflows_in_16bit(precision_comparison: PrecisionComparison) -> Findings:
    """An activation overflows in the 16-bit dtype of the run, so the loss becomes NaN."""
    for run, origin, only_cpu in failed_runs(precision_comparison):
        offender = run.predicted
        if origin.cause not in ("overflow", "weights") or offender is None or origin.phase == "backward pass":
            continue
        held = FORMATS[run.precision].largest
        where = f"{offender.operation or 'the weight'} in {offender.where} reaches {offender.largest:.3g}"
        yield failed_run_finding(
            run,
            origin,
            only_cpu,
            f"{where}, beyond {held:.5g}",
            fix_for(run),
            largest=offender.largest,
            headroom_bits=min((room.bits for room in run.headroom), default=0.0),
            list=run.rules,
            keep_fp32=", ".join(run.fp32_modules or ()),
        )
