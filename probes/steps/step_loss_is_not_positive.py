from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding

# A healthy loss comes near zero by falling: from above a tenth of its beginning it does not get to zero in one step.
NEAR = 0.1


@probe(id="STP005", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[67]", "STP01[236]", "STP02[0-2]"))
def step_loss_is_not_positive(records: Records) -> Findings:
    """The training loss is negative, or exactly zero without a gradual decrease."""
    series = records.finite_part.series("loss")
    values = series.values
    if not values or min(values) > 0:
        return
    places = [place for place, value in enumerate(values) if value == 0 and _from_nowhere(values, place)]
    below = [place for place, value in enumerate(values) if value < 0]
    if places:
        from_the_start = places[0] == 0 and not any(values[:2])
        yield step_finding(
            records,
            series.steps[places[0]],
            f"Training Loss: 0.000000, expected above 0 (never 0); {values.count(0)} of {len(values)} losses are 0",
            "count the scored labels in this batch: a loss of 0 means that there are none",
            None if from_the_start else Severity.WARNING,
            zeros=values.count(0),
            losses=len(values),
        )
    elif below:
        entropy = bool(records.vocabulary) or any(row.parts for row in records.rows)
        yield step_finding(
            records,
            series.steps[below[0]],
            f"the loss is {values[below[0]]:.4g}, and a cross-entropy or CTC loss is never below 0",
            "look for a flipped sign, or for inputs of the loss that are not log-probabilities",
            None if entropy else Severity.WARNING if values[0] > 0 else Severity.NOTE,
            loss=values[below[0]],
        )


def _from_nowhere(values: tuple[float, ...], place: int) -> bool:
    """The beginning itself, or a fall from a height in one step."""
    before = next((value for value in reversed(values[:place]) if value != 0), None)
    return before is None or before > NEAR * max(values[:place])
