from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import DrawnBatches


@probe(id="DAT056", stage=Stage.DATA, severity=Severity.NOTE)
def batches_can_be_drawn_once(batch_drawing: DrawnBatches) -> Findings:
    """The training batches are an iterator, so a second epoch would find it empty."""
    if batch_drawing.once:
        yield Finding(
            where="train_batches",
            message="train_batches is an iterator and is exhausted after one epoch, expected an iterable such as a "
            "DataLoader",
            fix="pass the DataLoader or the list itself, not iter(loader) or a generator",
            measured={"batches": len(batch_drawing.batches)},
        )
