from math import exp

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import CERTAIN, binned, logs, noise, p_value_of_fall, p_value_of_rise, recent_median

LEAST = 8
LASTING, LONG = 5, 20  # records at that height: a spike is over sooner; a fine-tune is shaken by its warm-up
MUCH, SOME = 3.0, 1.5  # times its beginning, times its best
CLEAR = 6.0  # times the noise from record to record
BACK = 0.01  # below it, a lost loss is on its way back
EXPLAINS = ("STP00[1-4]", "STP009", "STP01[015]", "STP02[0-256]")


@probe(id="STP008", stage=Stage.STEPS, severity=Severity.ERROR, explains=EXPLAINS)
def step_loss_diverges(records: Records) -> Findings:
    """The training loss diverges: it rises far above its initial or best value."""
    series = records.finite_part.phase.series("loss")
    values = series.values
    if len(values) < LEAST or min(values) <= 0:
        return
    first, now = values[0], recent_median(values, LASTING)
    newest = values[-4 * LEAST :]
    clear = exp(CLEAR * noise(logs(newest)))  # in logarithms: the noise of a loss is a share of it
    bins = binned(values)
    best = min(range(len(bins)), key=bins.__getitem__)
    lost = min(values[-LASTING:]) > MUCH * first and now > clear * first
    worse = len(values) > LONG and min(values[-LONG:]) > SOME * first and now > clear * first
    climbs = now > max(SOME, clear) * bins[best] and p_value_of_rise(bins[best:]) < CERTAIN
    if lost or worse or climbs:
        how = "is not finite any more" if lost else "stays above its initial value" if worse else "rises steadily"
        yield step_finding(
            records,
            series.steps[-1],
            f"the loss {how}: {now:.4g} over the last {LASTING} records, {first:.4g} at the beginning, "
            f"{min(first, bins[best]):.4g} at its best",
            "lower the learning rate 10x, clip gradients at 1.0, and resume from the last good checkpoint",
            None if lost and p_value_of_fall(newest) > BACK else Severity.WARNING,
            now=now,
            first=first,
            best=min(first, bins[best]),
        )
