from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches


@fault(
    "the collator gives the labels themselves as decoder inputs",
    "LAB011",
    lambda facts: "decoder_input_ids" in facts["collate"]([facts["train_dataset"][0]]),
    ("whisper", "e2e", "mt5"),
)
def answer_given(facts: Facts) -> Facts:
    padding = facts["tokenizer"].pad_token_id

    def told(batch: Any) -> Any:
        return {**batch, "decoder_input_ids": batch["labels"].masked_fill(batch["labels"] == -100, padding)}

    return with_batches(facts, told)
