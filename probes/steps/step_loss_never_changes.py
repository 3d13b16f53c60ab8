from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding, step_range

# Batches differ, and dropout does: two equal losses in a row are a coincidence of rounding, five are none.
# A log that rounds to few places needs more of them, and is no proof.
LEAST, SURE, PLACES = 5, 10, 4


@probe(id="STP006", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP007", "STP02[012]"))
def step_loss_never_changes(records: Records) -> Findings:
    """The training loss has the same value at every step."""
    series = records.finite_part.phase.series("loss")
    values = series.values
    if len(values) < LEAST or values[0] == 0 or any(value != values[0] for value in values):
        return
    places = len(repr(values[0]).partition(".")[2])
    if len(values) < SURE and places < PLACES:
        return
    yield step_finding(
        records,
        series.steps[0],
        f"the loss is {values[0]!r} at all {len(values)} records of {step_range(series)}, expected a different value "
        "for each batch",
        "check that batches change from step to step and that the optimizer has the model's trainable parameters",
        None if places >= PLACES else Severity.WARNING,
        loss=values[0],
        losses=len(values),
    )
