from typing import Any

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.batches.types import BatchShape
from probes.facts.first_step.types import FirstStep

AFTER = ("LOS*", "GRD*", "PRE*", "LRN*", "GEN*")


@probe(id="LAB032", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def labels_are_missing(
    batch_shape: BatchShape, first_step: FirstStep | None = None, training_step: Any = None, compute_loss: Any = None
) -> Findings:
    """Batches contain no labels, so the model cannot compute its loss."""
    form = batch_shape
    works = first_step.failure is None if first_step else bool(training_step or compute_loss)
    if form.keys and form.labels is None and form.takes_labels and not works:
        yield Finding(
            where="batch 0",
            message=f"it has {', '.join(form.keys)} but no labels; {form.model} needs them to compute the loss",
            fix="return the targets under the key labels, from the dataset and from the collator",
            measured={"keys": ", ".join(form.keys)},
        )
