"""Subjects that generate text, and their evaluation: generate, decode, word error rate of plain words."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from probes.subjects.tone_corpus import facts_of


def sequence_facts(
    model: Any, collate: Any, tokenizer: Any, generate: Callable[[Any, Any], Any], **more: Any
) -> dict[str, Any]:
    """The facts of a subject that generates, with an evaluation over two rows."""
    facts = facts_of(model, collate, tokenizer, **more)
    labels_of = facts.get("labels_of", lambda batch: batch["labels"])

    def decode(ids: Any) -> list[str]:
        known = np.where((np.asarray(ids) < 0) | (np.asarray(ids) >= len(tokenizer)), tokenizer.pad_token_id, ids)
        return list(tokenizer.batch_decode(known, skip_special_tokens=True))

    def compute_metrics(predictions: Any, labels: Any) -> dict[str, float]:
        import jiwer

        texts, references = ([plain(text) for text in decode(ids)] for ids in (predictions, labels))
        return {"wer": 100 * float(jiwer.wer(references, texts))}

    def evaluate() -> dict[str, float]:
        batch = facts["collate"]([facts["train_dataset"][number] for number in range(2)])
        with torch.no_grad():
            return compute_metrics(generate(model.eval(), batch), labels_of(batch))

    return {**facts, "generate": generate, "decode": decode, "compute_metrics": compute_metrics, "evaluate": evaluate}


def generate_from(key: str) -> Callable[[Any, Any], Any]:
    """The model's own generate, given the inputs under this key and their mask."""
    return lambda model, batch: model.generate(batch[key], attention_mask=batch.get("attention_mask"))


def plain(text: str) -> str:
    """Lower case, letters and digits alone."""
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())
