from collections.abc import Sequence

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records, Series
from probes.reporting.step_finding import step_finding, step_range
from probes.reporting.trend_tests import binned, initial_median, kendall_tau, logs, noise

LEAST = 12
# Without zero_grad the norm grows at nearly every step, and at each by no more than one step's own gradient. A healthy
# norm of five times its beginning wavers with the batches by more than that, and an exploding one outgrows it.
TIMES, STEADY, OWN = 5.0, 0.9, 2.0
# Within five steps it grows by the root of five and more: gradients that share no direction add up so.
EARLY, FOLD = 5, 1.8
# A sum of many gradients wavers no more with the batches, also where they cancel out and it grows slowly. Ten seeds of
# the five subjects and three of the demo waver by 0.04 and more from step to step, at most twice as large as in the
# beginning; without zero_grad by 0.023 at most, and three times as large and more.
LARGER, MANY, SETTLED, SMOOTH = 3.0, 40, 10, 0.03
EXPLAINS = ("STP00[1-3]", "STP00[89]", "STP01[015]", "STP02[0-256]")


@probe(id="STP014", stage=Stage.STEPS, severity=Severity.ERROR, explains=EXPLAINS)
def gradients_accumulate_across_steps(records: Records) -> Findings:
    """Gradients accumulate across steps because zero_grad() is missing: their norm keeps growing."""
    series = records.finite_part.series("grad_norm")
    values, steps = series.values, series.steps
    if len(values) < LEAST or steps[0] > LEAST or values[0] <= 0 or min(values[1:]) < values[0]:
        return
    one = initial_median(values, 1) / steps[0]  # a log that begins at step 10 shows ten gradients at once
    pairs = zip(values, values[1:], steps, steps[1:], strict=False)
    slopes = sorted((after - before) / (then - now) for before, after, now, then in pairs if then > now)
    climbs = bool(slopes) and _climbs(series, slopes, one)
    if not climbs and not (slopes and _is_smooth(values)):
        return
    typical = slopes[len(slopes) // 2]
    yield step_finding(
        records,
        steps[-1],
        f"grad_norm grows from {values[0]:.4g} to {values[-1]:.4g} over {step_range(series)}, by {typical:.3g} per "
        f"step; the gradient of one step is {one:.3g}",
        "call optimizer.zero_grad() once per step, after optimizer.step() or before backward()",
        None if climbs and steps[0] == 1 else Severity.WARNING,
        first=values[0],
        last=values[-1],
        a_step=typical,
    )


def _climbs(series: Series, slopes: list[float], one: float) -> bool:
    values, steps = series.values, series.steps
    early = next((value for value, step in zip(values, steps, strict=True) if step >= EARLY * steps[0]), 0.0)
    if early < FOLD * values[0] or slopes[int(0.9 * (len(slopes) - 1))] > OWN * one:
        return False
    return max(values[-3:]) >= TIMES * values[0] and kendall_tau(binned(values, 40)) >= STEADY


def _is_smooth(values: Sequence[float]) -> bool:
    grown = max(values[-3:]) >= LARGER * values[0]
    return grown and len(values) >= MANY and noise(logs(values[SETTLED:])) < SMOOTH
