from collections.abc import Iterator
from statistics import median

from diagnose import Finding, Severity, Stage, probe
from diagnose.records import Records
from probes.stepping import at
from probes.trends import WINDOW, level

LEAST = 10
# Ten seeds of five healthy subjects stay within 10 times their own median, a run that leaves CTC's blanks within 20.
LASTING, ONCE = 100.0, 1000.0


@probe(id="STP011", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP00[1-3]", "STP010", "STP015"))
def gradient_norm_explodes(records: Records) -> Iterator[Finding]:
    """The gradient norm is many times what it was in this run."""
    series = records.sound.phase.series("grad_norm")
    values, steps = series.values[-WINDOW:], series.steps[-WINDOW:]
    if len(values) < LEAST or not (usual := median(values)):
        return
    first, now = median(series.values[:LEAST]), level(values)
    highest = max(range(len(values)), key=values.__getitem__)
    if first > 0 and now > LASTING * first:
        told, step, times = (
            f"grad_norm is {now:.4g} over the last records, {first:.4g} in the first ones",
            steps[-1],
            now / first,
        )
    elif highest >= LEAST and values[highest] > ONCE * (usual := median(values[:highest])):
        told, step, times = (
            f"grad_norm is {values[highest]:.4g}, {usual:.4g} at most steps",
            steps[highest],
            values[highest] / usual,
        )
    else:
        return
    clip = records.rows[-1].clip
    yield at(
        records,
        step,
        f"{told}: {times:.3g} times; gradients are {f'clipped at {clip:g}' if clip else 'not clipped'}",
        "lower the learning rate and clip gradients at 1.0; raising max_grad_norm hides it",
        grad_norm=values[highest],
        usual=usual,
    )
