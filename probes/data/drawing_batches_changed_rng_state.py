from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import DrawnBatches


@probe(id="DAT004", stage=Stage.DATA, severity=Severity.NOTE)
def drawing_batches_changed_rng_state(batch_drawing: DrawnBatches) -> Findings:
    """Batches were drawn in the training process, so the RNG state of the data may have changed."""
    if batch_drawing.consumed:
        yield Finding(
            where="train_batches",
            message=f"{batch_drawing.consumed}; expected drawing in a separate process",
            fix="create the DataLoader again after the preflight if the run must be bit-identical",
            measured={"batches": len(batch_drawing.batches)},
        )
