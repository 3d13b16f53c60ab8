from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.precision.types import FORMATS, PrecisionComparison
from probes.reporting.precision_finding import describe_mode, judged_runs

# The float32 pass was run again with every narrow result off by one rounding at random: what rounding does to this
# loss is of that size. Weights and inputs are rounded too: up to three roundings, a factor of 1.7. A root of a mean
# square from three draws is three times too small once in twenty. 12 leaves 2.3 standard deviations beyond both. The
# loss itself, and the scores before it, are rounded a few times more. Healthy models were below 5 of the 12 (bench).
TIMES, ROUNDINGS = 12, 4


@probe(id="PRE004", stage=Stage.PRECISION, severity=Severity.WARNING)
def loss_differs_between_precisions(precision_comparison: PrecisionComparison) -> Findings:
    """The loss in 16 bits differs from the float32 loss by more than rounding explains."""
    wide = precision_comparison.reference.loss
    for run, only_cpu in judged_runs(precision_comparison):
        if wide is None or run.loss is None or not run.usable or only_cpu:
            continue
        off = abs(run.loss - wide)
        bound = TIMES * precision_comparison.rounding_noise + ROUNDINGS * FORMATS[run.precision].rounding * abs(wide)
        if off > bound:
            yield Finding(
                run.name,
                f"the loss is {run.loss:.5g} {describe_mode(run)} and {wide:.5g} in float32; rounding alone changes "
                f"it by {precision_comparison.rounding_noise:.2g}, at most {bound:.2g}",
                "look for small constants that become 0 (eps=1e-8), clamped large values, and code that depends on "
                "the dtype; keep that part in float32",
                {"loss": run.loss, "float32": wide, "bound": bound, "rounding": precision_comparison.rounding_noise},
            )
