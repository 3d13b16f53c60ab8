from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches


def _without(batch: Any) -> Any:
    return {key: value for key, value in batch.items() if key != "attention_mask"}


@fault(
    "the collator returns no attention mask",
    "LAB020",
    lambda facts: "attention_mask" not in facts["collate"]([facts["train_dataset"][0]]),
    ("e2e", "mt5"),
)
def mask_left_out(facts: Facts) -> Facts:
    return with_batches(facts, _without)
