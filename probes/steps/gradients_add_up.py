from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from diagnose.records import Records
from probes.stepping import at, span
from probes.trends import binned, start, steadiness

LEAST = 12
# Without zero_grad the norm grows at nearly every step, and at each by no more than one step's own gradient. A healthy
# norm of five times its beginning wavers with the batches by more than that, and an exploding one outgrows it.
TIMES, STEADY, OWN = 5.0, 0.9, 2.0
# Within five steps it grows by the root of five and more: gradients that share no direction add up so.
EARLY, FOLD = 5, 1.8
EXPLAINS = ("STP00[1-3]", "STP00[89]", "STP01[015]", "STP02[0-25]")


@probe(id="STP014", stage=Stage.STEPS, severity=Severity.ERROR, explains=EXPLAINS)
def gradients_add_up(records: Records) -> Iterator[Finding]:
    """The gradient norm grows by about one step's gradient with every step: zero_grad is missing."""
    series = records.sound.series("grad_norm")
    values, steps = series.values, series.steps
    if len(values) < LEAST or steps[0] > LEAST or values[0] <= 0 or min(values[1:]) < values[0]:
        return
    early = next((value for value, step in zip(values, steps, strict=True) if step >= EARLY * steps[0]), 0.0)
    if early < FOLD * values[0]:
        return
    one = start(values, 1) / steps[0]  # a log that begins at step 10 shows ten gradients at once
    pairs = zip(values, values[1:], steps, steps[1:], strict=False)
    slopes = sorted((after - before) / (then - now) for before, after, now, then in pairs if then > now)
    if not slopes or max(values[-3:]) < TIMES * values[0] or steadiness(binned(values, 40)) < STEADY:
        return
    if slopes[int(0.9 * (len(slopes) - 1))] > OWN * one:
        return
    typical = slopes[len(slopes) // 2]
    yield at(
        records,
        steps[-1],
        f"grad_norm goes from {values[0]:.4g} to {values[-1]:.4g} over {span(series)}, by {typical:.3g} a step, "
        f"steadily; one step's own gradient is {one:.3g}",
        "call optimizer.zero_grad() once in every step, after the update or before backward",
        None if steps[0] == 1 else Severity.WARNING,
        first=values[0],
        last=values[-1],
        a_step=typical,
    )
