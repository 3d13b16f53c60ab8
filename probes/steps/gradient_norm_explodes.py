from statistics import median

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import WINDOW, recent_median

LEAST = 10
# Ten seeds of five healthy subjects stay within 10 times their own median, a run that leaves CTC's blanks within 20.
LASTING, ONCE = 100.0, 1000.0
START = 20.0  # times the first norms: one that was next to nothing, since all is learnt, may jump back to them


@probe(id="STP011", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP00[1-3]", "STP010", "STP015", "STP026"))
def gradient_norm_explodes(records: Records) -> Findings:
    """The gradient norm explodes to many times its earlier values."""
    series = records.finite_part.phase.series("grad_norm")
    values, steps = series.values[-WINDOW:], series.steps[-WINDOW:]
    if len(values) < LEAST:
        return
    usual, now, step = median(series.values[:LEAST]), recent_median(values), steps[-1]
    highest = max(range(len(values)), key=values.__getitem__)
    if not 0 < LASTING * usual < now:
        usual, now, step = median(values[: max(1, highest)]), values[highest], steps[highest]
        if highest < LEAST or not 0 < ONCE * usual < now or now < START * median(series.values[:LEAST]):
            return
    clips = records.series("clip").values
    yield step_finding(
        records,
        step,
        f"grad_norm is {now:.4g} here and was {usual:.4g} before, {now / usual:.3g} times; "
        + (
            f"gradients are clipped at {clips[-1]:g}"
            if clips
            else "the log does not show whether gradients are clipped"
        ),
        "lower the learning rate and clip gradients at 1.0; raising max_grad_norm hides it",
        grad_norm=now,
        usual=usual,
    )
