from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding, step_range

LEAST = 10
EXACT = 3  # of a run under way whose schedule is known: nothing is rounded, and no scaler skips an update


@probe(id="STP018", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP007",))
def learning_rate_never_changes(records: Records) -> Findings:
    """The learning rate never changes although its schedule should change it."""
    rates = records.series("lr")
    known = records.schedule is not None
    least = EXACT if known and records.scaled is False and not records.source else LEAST
    if records.may_be_constant or len(rates.values) < least or rates.values[0] == 0:
        return
    if rates.values[-1] != rates.values[0] or any(rate != rates.values[0] for rate in rates.values):
        return
    yield step_finding(
        records,
        rates.steps[-1],
        f"lr is {rates.values[0]:.6g} at all {len(rates.values)} records of {step_range(rates)}; "
        + (f"the schedule {records.schedule} changes it at every step" if known else "the log names no schedule"),
        "call scheduler.step() once after every optimizer.step()"
        if known
        else "check that a constant learning rate is intended",
        None if known else Severity.NOTE,
        lr=rates.values[0],
        rates=len(rates.values),
    )
