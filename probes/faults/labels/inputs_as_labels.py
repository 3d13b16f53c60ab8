from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import Facts, collate_rows, with_batches


def _are_equal(facts: Facts) -> bool:
    batch = collate_rows(facts, 5)
    return bool(batch["labels"].equal(batch["input_ids"]))


@change_fault(with_batches, "the source is tokenized instead of the target", "LAB013", _are_equal, ("mt5",))
def inputs_as_labels(batch: Any) -> Any:
    return {**batch, "labels": batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)}
