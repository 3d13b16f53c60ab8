from math import log

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import binned, has_stood_still, initial_level, p_value_of_fall

PATIENCE = 500  # steps, as in the convergence monitor that the project began with
LEAST, GAP = 10, 0.2  # records within these steps; the share of them that may be without one
FLAT, NEVER = 0.05, 0.001  # chances that so much of a fall is none: in the last stretch, in the run after its start
EARLY = 4  # of 24 parts: random labels too lower the loss until the initial weights are no longer sure of anything
LEARNT = 0.5  # of its first level: a run that came so far and rests there has learnt
SOME = 0.75  # of it: it has learnt something; a recorded healthy masked language model rests at 0.73 for 600 steps
EVEN = 0.9  # of ln V: as good as guessing evenly
SPENT = 0.1  # of the highest learning rate: a run that ends rests by right, unless it has rested from the first step


@probe(id="STP007", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP021", "STP022"))
def step_loss_does_not_improve(records: Records) -> Findings:
    """The training loss has not improved for hundreds of steps and is still high."""
    series = records.finite_part.phase.series("loss")
    begin, spent = _warm(records)
    if not series.steps or series.steps[-1] - max(begin, series.steps[0]) < PATIENCE:
        return
    since = series.steps[-1] - PATIENCE
    kept = [(step, value) for step, value in zip(series.steps, series.values, strict=True) if step >= since]
    newest = [value for _, value in kept]
    first, bins = initial_level(series.values), binned(newest)
    now = min(bins)
    if len(newest) < LEAST or kept[0][0] - since > GAP * PATIENCE:
        return
    stood = has_stood_still(series.values)
    if spent and not stood:
        return
    if not stood and ((first > 0 and now < LEARNT * first) or p_value_of_fall(bins) < FLAT):
        return
    even = records.vocabulary is not None and now > EVEN * log(records.vocabulary)
    later = binned(series.values)[EARLY:]
    never = stood or (now > SOME * first and p_value_of_fall(later) > NEVER)
    beside = f"; a uniform prediction gives {log(records.vocabulary):.4g}" if records.vocabulary else ""
    yield step_finding(
        records,
        series.steps[-1],
        f"the loss has not decreased for {series.steps[-1] - series.steps[0] if stood else PATIENCE} steps: it started "
        f"at {first:.4g} and {'ends' if spent else 'stays'} at {bins[-1]:.4g}{beside}",
        "check the data first, then try a 3x higher and a 3x lower learning rate",
        None if never or even else Severity.NOTE,
        first=first,
        best=now,
    )


def _warm(records: Records) -> tuple[int, bool]:
    """The step at which the learning rate is at its height, the last one while it climbs; whether it is spent since."""
    rates = records.finite_part.series("lr")
    height = max(rates.values, default=0.0)
    begin = next((step for step, rate in zip(rates.steps, rates.values, strict=True) if rate >= height), 0)
    return begin, height > 0 and rates.values[-1] < SPENT * height
