from typing import Any

from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts, collate_rows, with_batches


@fault(
    "the collator gives the labels themselves as decoder inputs",
    "LAB011",
    lambda facts: "decoder_input_ids" in collate_rows(facts, 0),
    HF_MODELS,
)
def answer_given(facts: Facts) -> Facts:
    padding = facts["tokenizer"].pad_token_id

    def change(batch: Any) -> Any:
        return {**batch, "decoder_input_ids": batch["labels"].masked_fill(batch["labels"] == -100, padding)}

    return with_batches(facts, change)
