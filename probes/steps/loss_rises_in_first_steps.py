from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import initial_median, p_value_of_rise, recent_median

FIRST = 10  # steps, told one by one: the ones that a person should look at hardest
# Ten values in any order rise so steadily once in a thousand times. Ten seeds of the five healthy subjects end their
# first ten steps at 0.78 to 1.22 of where they began, none of them after a steady rise (the least chance is 0.1).
STEADY, TIMES = 0.001, 1.3


@probe(id="STP025", stage=Stage.STEPS, severity=Severity.WARNING, explains=("STP020", "STP021"))
def loss_rises_in_first_steps(records: Records) -> Findings:
    """The training loss rises over the first ten steps."""
    run = records.finite_part
    rows = [row for row in run.rows if row.step <= FIRST and row.loss is not None]
    values = [row.loss for row in rows if row.loss is not None]
    if len(values) < FIRST or min(values) <= 0 or any(step < FIRST for step in records.phases):
        return
    first, now = initial_median(values), recent_median(values, 3)
    if now < TIMES * first or p_value_of_rise(values) > STEADY:
        return
    yield step_finding(
        records,
        rows[-1].step,
        f"the loss rises steadily from {first:.4g} to {now:.4g} over the first {FIRST} steps, expected to fall",
        "look for a flipped sign (maximize=True, a negated loss), a missing warmup, batches sorted by length",
        first=first,
        now=now,
    )
