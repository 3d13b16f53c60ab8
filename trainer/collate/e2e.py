"""Batches of the encoder-decoder on raw audio: normalized samples, their mask, and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase, Wav2Vec2FeatureExtractor

from trainer.collate.task_tokens import label_rows, tasks_in
from trainer.models.ctc import CharacterVocabulary, ctc_labels

LEAST_SAMPLES = 400  # what one frame of Wav2Vec2's convolutions needs


@dataclass(frozen=True)
class E2ECollator:
    """input_values, attention_mask, labels, and ctc_labels when there is a CTC vocabulary."""

    extractor: Wav2Vec2FeatureExtractor
    tokenizer: PreTrainedTokenizerBase
    task: str = "both"
    max_label_length: int = 256
    max_samples: int = 480_000
    ctc_vocabulary: CharacterVocabulary | None = None

    def __call__(self, items: Sequence[Mapping[str, Any]]) -> dict[str, Tensor]:
        times = len(tasks_in(self.task))
        clips = [self._clip(item["audio"]) for item in items]
        lengths = torch.tensor([len(clip) for clip in clips])
        batch = {
            "input_values": torch.nn.utils.rnn.pad_sequence(clips, batch_first=True).repeat(times, 1),
            "attention_mask": (torch.arange(int(lengths.max())) < lengths[:, None]).long().repeat(times, 1),
            "labels": label_rows(self.tokenizer, items, self.task, self.max_label_length),
        }
        if self.ctc_vocabulary is not None:
            rows = [(task, item) for task in tasks_in(self.task) for item in items]
            transcripts = [item["transcript"] if task == "transcribe" else None for task, item in rows]
            batch["ctc_labels"] = ctc_labels(self.ctc_vocabulary, transcripts)
        return batch

    def _clip(self, audio: Tensor) -> Tensor:
        """At most the limit, at least one frame, mean 0 and variance 1 over the clip's own samples."""
        audio = audio[: self.max_samples]
        if self.extractor.do_normalize:
            audio = (audio - audio.mean()) / (audio.var(unbiased=False) + 1e-7).sqrt()
        return torch.nn.functional.pad(audio, (0, max(0, LEAST_SAMPLES - len(audio))))
