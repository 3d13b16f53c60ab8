from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import CERTAIN, binned, initial_level, initial_median, p_value_of_rise, recent_median

LEAST, LONG = 20, 200  # records, steps: gradients that are never cleared grow sooner (STP014)
# Times its lowest level. Of 26 recorded healthy runs four have a norm that rises so steadily: to 1.2 to 1.9 times, and
# to 8.6 in one whose loss falls to a third. STP011 begins at a hundred times.
TIMES = 10.0
LATE = 0.05  # the chance of the rise over the last half: a norm that has found its level grows no more
FALLEN = 0.5  # of its first level: where the loss has halved, the last rows left to learn have large gradients


@probe(id="STP026", stage=Stage.STEPS, severity=Severity.WARNING)
def gradient_norm_grows(records: Records) -> Findings:
    """The gradient norm grows steadily from step to step while the loss stays high."""
    run = records.finite_part.phase
    series, losses = run.series("grad_norm"), run.series("loss").values
    if len(series.values) < LEAST or series.steps[-1] - series.steps[0] < LONG:
        return
    bins = binned(series.values)
    low, now = min(initial_median(series.values), *bins), recent_median(bins, 2)
    steady = p_value_of_rise(bins) < CERTAIN and p_value_of_rise(bins[len(bins) // 2 :]) < LATE
    if not 0 < TIMES * low < now or not steady:
        return
    if losses and recent_median(losses) < FALLEN * initial_level(losses):
        return
    yield step_finding(
        records,
        series.steps[-1],
        f"grad_norm has grown steadily from {low:.4g} to {now:.4g}, {now / low:.3g} times, and still grows; the loss "
        + (f"is {recent_median(losses):.4g} after {initial_level(losses):.4g}" if losses else "is not in the log"),
        "lower the learning rate 3x, clip gradients at 1.0, and check that the weight norm does not grow along",
        grad_norm=now,
        lowest=low,
    )
