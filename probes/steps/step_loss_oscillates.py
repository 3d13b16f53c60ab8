from statistics import median

from diagnose import Finding, Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import WINDOW, binned, noise, p_value_of_fall, p_value_of_lower, recent_median

LEAST, NEWEST = 40, 20  # of a regression with four rows a batch, 25 losses swing by 97 % at one look in a hundred
# From record to record, as a share of its level. Ten seeds of five healthy subjects at four rows a batch reach 0.2.
WILD = 0.8
LEARNT = 0.5  # of its beginning: near the end of a healthy run, little is left and swings are large beside it
# Over a long stretch less will do, where the last losses are no lower than the first: the recorded healthy runs that
# swing by 0.3 or more all fall, most within their first records.
LONG, RECORDS, SWINGS = 500, 150, 0.3
LOWER = (
    0.003  # the chance below which it falls, or its first records are higher than the rest: one run in 200 is missed
)


@probe(id="STP009", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP007", "STP01[015]"))
def step_loss_oscillates(records: Records) -> Findings:
    """The training loss oscillates by about its own size from step to step without falling."""
    series = records.finite_part.phase.series("loss")
    values = series.values[-WINDOW:]
    if len(values) < LEAST or min(values) <= 0:
        return
    middle, swing = median(values), noise(values)
    falls = p_value_of_fall(binned(values)) < 0.01 and recent_median(values, NEWEST) < series.values[0]
    if swing >= WILD * middle and middle >= LEARNT * series.values[0] and not falls:
        yield _finding(records, swing, middle, f"does not fall below its initial value {series.values[0]:.4g}")
    elif series.steps[-1] - series.steps[0] >= LONG and _swings(series.values):
        swing, middle = noise(series.values), median(series.values)
        low, high = min(series.values), max(series.values)
        steps = series.steps[-1] - series.steps[0]
        yield _finding(records, swing, middle, f"has not fallen for {steps} steps ({low:.4g} to {high:.4g})")


def _swings(values: tuple[float, ...]) -> bool:
    """Whether a long series swings widely around one level from its beginning to its end."""
    if len(values) < RECORDS or noise(values) < SWINGS * median(values):
        return False
    first, rest = values[:NEWEST], values[NEWEST:]
    return p_value_of_fall(binned(values)) > LOWER and p_value_of_lower(rest, first) > LOWER


def _finding(records: Records, swing: float, middle: float, why: str) -> Finding:
    return step_finding(
        records,
        records.finite_part.phase.series("loss").steps[-1],
        f"the loss changes by {swing:.4g} from record to record around {middle:.4g}, {swing / middle:.0%} of its "
        f"level, and {why}",
        "divide the learning rate by three, then try a larger batch size; check that batches are shuffled",
        swing=swing,
        level=middle,
    )
