"""Batches of Whisper: log-mel features of one window, and labels that begin with language and task.

What `<|translate|>` means here: into `model.language`. The released models know it as "into English", with the language
token naming the speech. Our speech is Vietnamese mixed with English and its translation is Vietnamese, so a row is
`<|vi|><|translate|><|notimestamps|> Vietnamese text`: the language token still names the speech, and training gives the
task token its new meaning. Another language token could not tell the two tasks apart (both targets are Vietnamese);
a token of our own would start untrained. A model fine-tuned in this way no longer translates into English.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase, WhisperFeatureExtractor
from transformers.models.whisper.tokenization_whisper import TO_LANGUAGE_CODE

from diagnose.common.errors import InputError
from trainer.collate.labels import label_row, pad_labels, text_ids, token_ids
from trainer.collate.masking import FeatureMasking
from trainer.collate.task_tokens import TEXT_OF, tasks_in
from trainer.models.ctc import CharacterVocabulary, ctc_labels
from trainer.models.hybrid.features import normalize
from trainer.models.tokenizers.whisper_and_t5 import NO_TIMESTAMPS

PROMPT = 3  # language, task, no timestamps; the start token before them is the model's to add


@dataclass(frozen=True)
class WhisperCollator:
    """input_features, labels, and ctc_labels when there is a CTC vocabulary."""

    extractor: WhisperFeatureExtractor
    tokenizer: PreTrainedTokenizerBase
    task: str = "both"
    language: str = "vi"
    max_label_length: int = 448
    cmvn: bool = False
    ctc_vocabulary: CharacterVocabulary | None = None
    masking: FeatureMasking | None = None

    def __call__(self, items: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
        rows = [(task, item) for task in tasks_in(self.task) for item in items]
        features = self._features(items)
        batch = {
            "input_features": features.repeat(len(rows) // len(items), 1, 1),
            "labels": pad_labels([self._labels(task, item) for task, item in rows]),
        }
        if self.ctc_vocabulary is not None:
            transcripts = [item["transcript"] if task == "transcribe" else None for task, item in rows]
            batch["ctc_labels"] = ctc_labels(self.ctc_vocabulary, transcripts)
        return batch

    def _labels(self, task: str, item: Mapping[str, Any]) -> list[int]:
        ids = text_ids(self.tokenizer, item[TEXT_OF[task]])
        prefix = prompt_ids(self.tokenizer, self.language, task)
        return label_row(ids, self.tokenizer.eos_token_id, self.max_label_length, prefix)

    def _features(self, items: Sequence[Mapping[str, Any]]) -> Tensor:
        for item in items:
            self._require_rate(item)
        found = self.extractor(
            [item["audio"].numpy() for item in items],
            sampling_rate=self.extractor.sampling_rate,
            return_attention_mask=True,
            return_tensors="pt",
        )
        frames = found.attention_mask.sum(dim=1).tolist()
        features = mean_and_variance(found.input_features, frames) if self.cmvn else found.input_features
        if self.masking is not None:
            for row, item, count in zip(features, items, frames, strict=True):
                row[:, :count] = self.masking(row[:, :count], item)
        return features

    def _require_rate(self, item: Mapping[str, Any]) -> None:
        rate = item.get("sample_rate", self.extractor.sampling_rate)
        if rate != self.extractor.sampling_rate:
            raise InputError(
                f"{item.get('id', 'a row')}: the audio has {rate} Hz but the features expect "
                f"{self.extractor.sampling_rate} Hz; set audio.sample_rate to {self.extractor.sampling_rate}"
            )


def mean_and_variance(features: Tensor, frames: Sequence[int]) -> Tensor:
    """Mean 0 and variance 1 of each mel bin over a row's own frames; what lies behind them becomes 0."""
    normalized = torch.zeros_like(features)
    for target, source, count in zip(normalized, features, frames, strict=True):
        target[:, :count] = normalize(source[:, :count].T).T
    return normalized


def prompt_ids(tokenizer: PreTrainedTokenizerBase, language: str, task: str) -> list[int]:
    """Language, task and no-timestamps tokens, as generation forces them and labels begin."""
    names = [language_token(language), f"<|{task}|>", NO_TIMESTAMPS]
    ids = token_ids(tokenizer, names)
    for name, number in zip(names, ids, strict=True):
        if number is None or number == tokenizer.unk_token_id:
            raise InputError(
                f"model.language, model.task: the tokenizer has no token {name}; use a multilingual Whisper"
            )
    return ids


def language_token(language: str) -> str:
    """The token of a language given by code or by English name."""
    return f"<|{TO_LANGUAGE_CODE.get(language.lower(), language.lower())}|>"
