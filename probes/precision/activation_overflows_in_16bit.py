from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.precision.types import FORMATS, PrecisionComparison
from probes.reporting.nonfinite_finding import nonfinite_finding
from probes.reporting.precision_finding import describe_mode, failed_runs, fix_for


@probe(id="PRE001", stage=Stage.PRECISION, severity=Severity.ERROR, explains=("PRE*", "LRN*", "GEN*"))
def activation_overflows_in_16bit(precision_comparison: PrecisionComparison) -> Iterator[Finding]:
    """An activation overflows in the 16-bit dtype of the run, so the loss becomes NaN."""
    for run, only_cpu in failed_runs(precision_comparison):
        origin, offender = run.origin, run.predicted
        if origin is None or origin.cause not in ("overflow", "weights") or offender is None:
            continue
        if origin.phase == "backward pass":
            continue
        held = FORMATS[run.precision].largest
        bits = min((room.bits for room in run.headroom), default=0.0)
        where = f"{offender.operation or 'the weight'} in {offender.where} reaches {offender.largest:.3g}"
        only = "; on a GPU it is finite" if only_cpu else ""
        yield nonfinite_finding(
            origin,
            f"{describe_mode(run)}, {where}, beyond {held:.5g}{only}",
            fix_for(run),
            Severity.WARNING if only_cpu else None,
            largest=offender.largest,
            headroom_bits=bits,
            list=run.rules,
            keep_fp32=", ".join(run.fp32_modules or ()),
        )
