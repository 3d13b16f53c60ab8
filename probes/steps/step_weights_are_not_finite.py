from diagnose import Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.step_finding import step_finding


@probe(id="STP003", stage=Stage.STEPS, severity=Severity.ERROR, explains=("STP00[124]", "STP02[0-2]"))
def step_weights_are_not_finite(records: Records) -> Findings:
    """A weight becomes NaN or Inf during the run."""
    broken = records.broken
    found = broken[1] if broken and broken[0] == "weights" else None
    if found is None:
        return
    sound = [row.step for row in records.rows if row.step < found.step and row.weights_finite]
    since = f"they were finite at step {sound[-1]}" if sound else "no earlier check is in the log"
    yield step_finding(
        records,
        found.step,
        f"weights are not finite, although loss and gradient were finite until here; {since}: the update produced it",
        "resume from a checkpoint before this step, and lower the learning rate or check the optimizer state",
        weight_norm=str(found.weight_norm),
    )
