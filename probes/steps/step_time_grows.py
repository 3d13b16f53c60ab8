from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import CERTAIN, binned, kendall_tau, p_value_of_rise

LEAST = 48
TIMES = 3.0  # a busy machine doubles a step's time for a while
STEADY = 0.8  # Kendall's tau over the whole run: a busy while comes and goes


@probe(id="STP024", stage=Stage.STEPS, severity=Severity.WARNING)
def step_time_grows(records: Records) -> Findings:
    """The time per step grows steadily during the run."""
    series = records.series("seconds")
    if len(series.values) < LEAST:
        return
    bins = binned(series.values)
    if bins[0] <= 0 or bins[-1] < TIMES * bins[0] or kendall_tau(bins) < STEADY or p_value_of_rise(bins) > CERTAIN:
        return
    yield step_finding(
        records,
        series.steps[-1],
        f"a step took {bins[0]:.3g} s at the beginning and takes {bins[-1]:.3g} s now, growing steadily",
        "look for losses kept with their graph (use .item()), hooks added at every step, data sorted by length",
        first=bins[0],
        last=bins[-1],
    )
