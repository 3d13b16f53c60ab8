from math import log2

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.precision.types import PrecisionComparison
from probes.reporting.precision_finding import describe_mode, judged_runs

NEAR = log2(10)  # a tenth of what the format holds: reports of models that overflow late begin there (prec_mbart_*)
SHOWN = 5


@probe(id="PRE008", stage=Stage.PRECISION, severity=Severity.WARNING)
def activation_is_near_16bit_limit(precision_comparison: PrecisionComparison) -> Findings:
    """An activation is within a factor of ten of the 16-bit maximum and may overflow later."""
    for run, only_cpu in judged_runs(precision_comparison):
        near = [room for room in run.headroom if 0 <= room.bits < NEAR]
        if near and run.usable and not only_cpu:
            worst, names = near[0], ", ".join(room.module for room in near[:SHOWN])
            yield Finding(
                f"{worst.module} ({worst.kind})" if worst.kind else worst.module,
                f"{describe_mode(run)}, {worst.operation} reaches {worst.largest:.3g}, {worst.bits:.1f} bits below "
                f"the end; {len(near)} module{'s are' if near[1:] else ' is'} this near: {names}",
                f"train in bf16, or keep {names} in float32 before it overflows",
                {"largest": worst.largest, "headroom_bits": worst.bits, "modules": len(near)},
                setting=f"training.keep_fp32: [{names}]",
            )
