from collections.abc import Iterator
from math import log

from diagnose import Finding, Severity, Stage, probe
from diagnose.records import Records
from probes.stepping import at
from probes.trends import binned, start

PATIENCE = 500  # steps, as in the convergence monitor that the project began with
LEAST = 10  # records within these steps
LEARNT = 0.5  # of its first level: a run that came so far and rests there has learnt


@probe(id="STP007", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP021", "STP022"))
def step_loss_does_not_improve(records: Records) -> Iterator[Finding]:
    """The training loss has not become better for a long while, and is still high."""
    series = records.sound.phase.series("loss")
    if not series.steps or series.steps[-1] - series.steps[0] < PATIENCE:
        return
    warm = _warm(records)
    kept = [(step, value) for step, value in zip(series.steps, series.values, strict=True) if step >= warm]
    if len(kept) < 2 * LEAST or kept[-1][0] - kept[0][0] < PATIENCE:
        return
    values = [value for _, value in kept]
    bins = binned(values)
    size = -(-len(values) // len(bins))
    best = min(range(len(bins)), key=bins.__getitem__)
    since = kept[min(len(kept) - 1, (best + 1) * size - 1)][0]
    first = start(series.values)
    later = sum(step > since for step, _ in kept)
    if kept[-1][0] - since < PATIENCE or later < LEAST or (first > 0 and bins[best] < LEARNT * first):
        return
    chance = f"; an even guess over {records.vocabulary} classes costs {_ln(records):.4g}" if records.vocabulary else ""
    yield at(
        records,
        kept[-1][0],
        f"the loss has not been below {bins[best]:.4g} for {kept[-1][0] - since} steps (it began at {first:.4g} and is "
        f"{bins[-1]:.4g}){chance}",
        "look at the data first, then try the learning rate three times higher and three times lower",
        best=bins[best],
        first=first,
        steps=kept[-1][0] - since,
    )


def _warm(records: Records) -> int:
    """The step at which the learning rate is at its height; while it still climbs, the last one."""
    rates = records.sound.series("lr")
    height = max(rates.values, default=0.0)
    return next((step for step, rate in zip(rates.steps, rates.values, strict=True) if rate >= height), 0)


def _ln(records: Records) -> float:
    return log(records.vocabulary or 1)
