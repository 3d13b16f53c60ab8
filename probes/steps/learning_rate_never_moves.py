from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from diagnose.records import Records
from probes.stepping import at, span

LEAST = 10
STILL = ("constant", "plateau", "none")  # schedules that may rest by their nature


@probe(id="STP018", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP007",))
def learning_rate_never_moves(records: Records) -> Iterator[Finding]:
    """The learning rate is the same at every step although its schedule should move it."""
    rates = records.series("lr")
    resting = records.schedule is not None and any(word in records.schedule.lower() for word in STILL)
    if resting or len(rates.values) < LEAST or rates.values[0] == 0 or rates.values[0] != rates.values[-1]:
        return
    if any(rate != rates.values[0] for rate in rates.values):
        return
    known = records.schedule is not None
    yield at(
        records,
        rates.steps[-1],
        f"lr is {rates.values[0]:.6g} at all {len(rates.values)} records of {span(rates)}; "
        + (f"the schedule {records.schedule} changes it at every step" if known else "no schedule is on record"),
        "call scheduler.step() once after every optimiser step" if known else "make sure that a constant rate is meant",
        None if known else Severity.NOTE,
        lr=rates.values[0],
        rates=len(rates.values),
    )
