from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.core.types import DrawnBatches

CURES = {
    "KeyError": "return that key from the dataset; with a transformers Trainer set remove_unused_columns=False",
    "FileNotFoundError": "correct the path, or take the row out of the manifest",
    "TimeoutError": "find what blocks in the dataset: a lock, a pipe, or a download",
}


@probe(id="DAT003", stage=Stage.DATA, severity=Severity.ERROR)
def dataloader_raises(batch_drawing: DrawnBatches) -> Iterator[Finding]:
    """The DataLoader raises while drawing the first batches: the dataset or the collator fails."""
    failure = batch_drawing.failure
    if failure is None:
        return
    file, _, line = failure.line.rpartition(":")
    yield Finding(
        where=failure.line or "train_batches",
        message=f"{failure}; expected a batch",
        fix=CURES.get(failure.error, f"mend the dataset or collator at {failure.line or 'the line in the trace'}"),
        measured={"error": failure.error, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
