from math import exp, log

from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import WINDOW, logs, noise

LEAST = 20
# In logarithms, where the noise of a loss is about normal: chance does not reach twelve times it in a million steps.
FAR, TWICE = 12.0, log(2.0)
SEVERAL = 3  # healthy runs have a spike now and then


@probe(id="STP010", stage=Stage.STEPS, severity=Severity.WARNING)
def step_loss_spikes(records: Records) -> Findings:
    """The training loss spikes repeatedly, each time for a single step."""
    series = records.finite_part.phase.series("loss")
    values, steps = logs(series.values[-WINDOW:]), series.steps[-WINDOW:]
    if len(values) < LEAST:
        return
    bar = max(FAR * noise(values), TWICE)
    heights = {
        step: min(here - before, here - after)
        for step, before, here, after in zip(steps[1:], values, values[1:], values[2:], strict=False)
        if min(here - before, here - after) > bar
    }
    if len(heights) < SEVERAL:
        return
    worst = max(heights, key=heights.__getitem__)
    yield step_finding(
        records,
        worst,
        f"the loss jumps {len(heights)} times in {len(values)} records, {exp(heights[worst]):.3g} times the "
        f"neighboring values here; also at steps {', '.join(str(step) for step in list(heights)[:5])}",
        "check the rows of these steps before filtering; clip gradients at 1.0",
        spikes=len(heights),
        times=exp(heights[worst]),
    )
