from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches


def _copied(batch: Any) -> Any:
    return {**batch, "labels": batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)}


@fault(
    "the source is tokenised in the place of the target",
    "LAB013",
    lambda facts: bool(
        (lambda batch: batch["labels"].equal(batch["input_ids"]))(facts["collate"]([facts["train_dataset"][5]]))
    ),
    ("mt5",),
)
def inputs_as_labels(facts: Facts) -> Facts:
    return with_batches(facts, _copied)
