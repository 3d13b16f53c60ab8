"""Batches of the hybrid: filter-bank frames and tokens, each with their lengths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import PreTrainedTokenizerBase

from trainer.collate.labels import label_lengths
from trainer.collate.masking import FeatureMasking
from trainer.collate.task_tokens import label_rows, tasks_in
from trainer.models.hybrid.features import FbankExtractor


@dataclass(frozen=True)
class HybridCollator:
    """feats, feat_lens, toks, tok_lens; toks are the labels, -100 on padding."""

    extractor: FbankExtractor
    tokenizer: PreTrainedTokenizerBase
    task: str = "both"
    max_label_length: int = 256
    masking: FeatureMasking | None = None

    def __call__(self, items: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
        clips = [self.extractor(item["audio"]) for item in items]
        if self.masking is not None:
            clips = [self.masking(clip.T, item).T for clip, item in zip(clips, items, strict=True)]
        times = len(tasks_in(self.task))
        lengths = torch.tensor([len(clip) for clip in clips])
        toks = label_rows(self.tokenizer, items, self.task, self.max_label_length)
        return {
            "feats": pad_sequence(clips, batch_first=True).repeat(times, 1, 1),
            "feat_lens": lengths.repeat(times),
            "toks": toks,
            "tok_lens": label_lengths(toks),
        }
