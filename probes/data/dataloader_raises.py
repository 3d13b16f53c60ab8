from diagnose import Findings, Severity, Stage, probe
from probes.facts.core.types import DrawnBatches
from probes.reporting.failure_finding import failure_finding


@probe(id="DAT003", stage=Stage.DATA, severity=Severity.ERROR)
def dataloader_raises(batch_drawing: DrawnBatches) -> Findings:
    """The DataLoader raises while drawing the first batches: the dataset or the collator fails."""
    failure = batch_drawing.failure
    if failure is not None:
        fix = f"mend the dataset or collator at {failure.line or 'the line in the trace'}"
        message = f"{failure}; expected a batch"
        yield failure_finding(failure, "DataLoader", failure.line or "train_batches", message, fix)
