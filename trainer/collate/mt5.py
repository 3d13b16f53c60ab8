"""Batches of text: a document with its prefix goes in, its summary is the label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from transformers import PreTrainedTokenizerBase

from trainer.collate.labels import IGNORE, label_row, pad_labels, text_ids


@dataclass(frozen=True)
class TextCollator:
    """input_ids, attention_mask, labels; both sides end with the end token, also where they are cut."""

    tokenizer: PreTrainedTokenizerBase
    source_prefix: str = ""
    max_source_length: int = 512
    max_label_length: int = 128

    def __call__(self, items: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
        sources = pad_labels([self._source(item["document"]) for item in items])
        # padding is known by its place: an id may mean padding and something else
        mask = sources != IGNORE
        return {
            "input_ids": sources.masked_fill(~mask, self.tokenizer.pad_token_id),
            "attention_mask": mask.long(),
            "labels": pad_labels([self._labels(item["summary"]) for item in items]),
        }

    def _source(self, document: str) -> list[int]:
        ids = text_ids(self.tokenizer, f"{self.source_prefix} {document}", side="text")
        return label_row(ids, self.tokenizer.eos_token_id, self.max_source_length)

    def _labels(self, summary: str) -> list[int]:
        return label_row(text_ids(self.tokenizer, summary), self.tokenizer.eos_token_id, self.max_label_length)
