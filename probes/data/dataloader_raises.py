from diagnose import Findings, Severity, Stage, probe
from probes.facts.batches.types import BatchScan
from probes.facts.core.types import DrawnBatches
from probes.reporting.failure_finding import failure_finding


@probe(id="DAT003", stage=Stage.DATA, severity=Severity.ERROR)
def dataloader_raises(batch_drawing: DrawnBatches, batch_scan: BatchScan | None = None) -> Findings:
    """The DataLoader raises while drawing batches: the dataset or the collator fails."""
    later = batch_scan.failure if batch_scan and batch_drawing.failure is None else None
    failure = batch_drawing.failure or later
    if failure is not None:
        fix = f"fix the dataset or collator at {failure.line or 'the last line of the traceback'}"
        after = f" after {batch_scan.batches} batches" if batch_scan and later else ""
        message = f"{failure}{after}; expected a batch"
        yield failure_finding(failure, "DataLoader", failure.line or "train_batches", message, fix)
