"""Rows that begin with a task token, shared by the hybrid and the encoder-decoder of raw audio."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor
from transformers import PreTrainedTokenizerBase

from trainer.collate.labels import label_row, pad_labels, text_ids
from trainer.models.tokenizers.hybrid_and_mbart import task_ids

TEXT_OF = {"transcribe": "transcript", "translate": "translation"}


def tasks_in(task: str) -> list[str]:
    """The tasks of each clip: `both` stands for transcribe and translate."""
    return list(TEXT_OF) if task == "both" else [task]


def label_rows(tokenizer: PreTrainedTokenizerBase, items: Sequence[Mapping[str, Any]], task: str, limit: int) -> Tensor:
    """Task token, text, end token of every row; with `both` all transcripts come before all translations."""
    prefixes = task_ids(tokenizer)
    rows = [
        label_row(text_ids(tokenizer, item[TEXT_OF[name]]), tokenizer.eos_token_id, limit, [prefixes[name]])
        for name in tasks_in(task)
        for item in items
    ]
    return pad_labels(rows)


def tasks_of(tokenizer: PreTrainedTokenizerBase, labels: Tensor) -> list[str]:
    """The task of every row, read from its first label."""
    names = {number: task for task, number in task_ids(tokenizer).items()}
    return [names[number] for number in labels[:, 0].tolist()]
