"""How the subjects that speak are evaluated: generate, decode, word error rate of plain words."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch


def with_evaluation(facts: dict[str, Any], generate: Callable[[Any, Any], Any]) -> dict[str, Any]:
    """The facts of an evaluation, the whole one over two rows."""
    tokenizer, labels_of = facts["tokenizer"], facts.get("labels_of", lambda batch: batch["labels"])

    def decode(ids: Any) -> list[str]:
        known = np.where((np.asarray(ids) < 0) | (np.asarray(ids) >= len(tokenizer)), tokenizer.pad_token_id, ids)
        return list(tokenizer.batch_decode(known, skip_special_tokens=True))

    def compute_metrics(predictions: Any, labels: Any) -> dict[str, float]:
        import jiwer

        said, wanted = ([plain(text) for text in decode(ids)] for ids in (predictions, labels))
        return {"wer": 100 * float(jiwer.wer(wanted, said))}

    def evaluate() -> dict[str, float]:
        batch = facts["collate"]([facts["train_dataset"][number] for number in range(2)])
        facts["model"].eval()
        with torch.no_grad():
            return compute_metrics(generate(facts["model"], batch), labels_of(batch))

    return {**facts, "generate": generate, "decode": decode, "compute_metrics": compute_metrics, "evaluate": evaluate}


def plain(text: str) -> str:
    """Lower case, letters and digits alone."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())
