from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import binned, longest_run, p_value_of_fall

LEAST = 3  # the first step of a warm-up and the last of a decay are zero by right
SEEKING = 12  # while a gradient scaler looks for its scale, neither weights nor schedule move
TAIL = 0.1  # of the run: a log that rounds shows the end of a decay as zeros


@probe(id="STP017", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[67]", "STP01[68]", "STP02[0-2]"))
def learning_rate_stays_zero(records: Records) -> Findings:
    """The learning rate stays at zero for many steps, so nothing is learned."""
    run = records.finite_part
    rates = run.series("lr")
    if 0 not in rates.values:
        return
    begin, end = longest_run(rate == 0 for rate in rates.values)
    if end - begin < (LEAST if records.scaled is False else SEEKING):
        return
    first, last = rates.steps[begin], rates.steps[end - 1]
    passing = (begin == 0) != (end == len(rates.values))
    if passing and last - first < TAIL * (rates.steps[-1] - rates.steps[0]):
        return
    loss = run.series("loss")
    losses = [value for step, value in zip(loss.steps, loss.values, strict=True) if first <= step <= last]
    if p_value_of_fall(binned(losses)) < 0.001:
        return  # it learns: the log rounds
    yield step_finding(
        records,
        first,
        f"lr is 0 at {end - begin} consecutive records, steps {first} to {last}, expected above 0",
        "compare the schedule's total steps and warmup with the run, and call scheduler.step() once per update",
        zeros=end - begin,
    )
