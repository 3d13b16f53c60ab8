from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from diagnose.records import Records, Series
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import binned, p_value_of_fall

LEAST = 3  # the first step of a warm-up and the last of a decay are zero by right
SEEKING = 12  # while a gradient scaler looks for its scale, neither weights nor schedule move
TAIL = 0.1  # of the run: a log that rounds shows the end of a decay as zeros


@probe(id="STP017", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[67]", "STP01[68]", "STP02[0-2]"))
def learning_rate_stays_zero(records: Records) -> Iterator[Finding]:
    """The learning rate stays at zero for many steps, so nothing is learned."""
    run = records.finite_part
    rates = run.series("lr")
    if 0 not in rates.values:
        return
    begin, end = _zeros(rates)
    if end - begin < (LEAST if records.scaled is False else SEEKING):
        return
    first, last = rates.steps[begin], rates.steps[end - 1]
    passing = (begin == 0) != (end == len(rates.values))
    if passing and last - first < TAIL * (rates.steps[-1] - rates.steps[0]):
        return
    losses = [value for step, value in zip(*_loss(run), strict=True) if first <= step <= last]
    if p_value_of_fall(binned(losses)) < 0.001:
        return  # it learns: the log rounds
    yield step_finding(
        records,
        first,
        f"lr is 0 at {end - begin} records in a row, steps {first} to {last}, expected above 0",
        "compare total steps and warm-up of the schedule with the run's own, and call scheduler.step() once an update",
        zeros=end - begin,
    )


def _zeros(rates: Series) -> tuple[int, int]:
    """Where the longest stretch of zeros begins and ends."""
    best, begin = (0, 0), 0
    for place, rate in enumerate((*rates.values, 1.0)):
        if rate:
            if place - begin > best[1] - best[0]:
                best = begin, place
            begin = place + 1
    return best


def _loss(run: Records) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return run.series("loss").steps, run.series("loss").values
