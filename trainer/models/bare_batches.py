"""Batches with the shapes of the run's own, for a model without a tokenizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from trainer.data.columns import configured_columns
from trainer.data.manifest import duration_of, read_rows
from trainer.data.prepare import needed_texts

if TYPE_CHECKING:
    from trainer.config import Config

SPECIALS = 4  # tokens beside the text: language, task, no timestamps, end


@dataclass(frozen=True)
class RowLength:
    """Of one row: seconds of audio, tokens of the document, tokens of the labels."""

    seconds: float
    source: int
    labels: int


def row_lengths(config: Config) -> tuple[list[RowLength], str]:
    """Longest, median and shortest row of the training set, or what the configuration allows; and what was assumed."""
    longest = RowLength(config.audio.max_length_seconds, config.model.max_source_length, config.model.max_label_length)
    path = config.splits / "train.csv"
    if not path.exists():
        return [longest], f"there is no {path}: the longest rows that the configuration allows were assumed"
    rows = sorted(
        (_length(config, row, longest) for row in read_rows(path, columns=configured_columns(config))), key=_key
    )
    return [rows[-1], rows[len(rows) // 2], rows[0]], "one token for each character of a text was assumed"


def _key(length: RowLength) -> tuple[float, int, int]:
    return length.seconds, length.source, length.labels


def _length(config: Config, row: dict[str, Any], most: RowLength) -> RowLength:
    texts = [len(row.get(name) or "") for name in needed_texts(config)]
    seconds = min(duration_of(row) or most.seconds, most.seconds)
    labels = texts[-1:] if config.model.type == "mt5" else texts
    return RowLength(seconds, min(texts[0] + 1, most.source), min(max(labels, default=0) + SPECIALS, most.labels))


def bare_batch(config: Config, model: Any, length: RowLength) -> dict[str, Tensor]:
    """A full batch of rows of one length; for two tasks every clip is there twice."""
    kind, rows = config.model.type, config.training.batch_size * (2 if config.model.task == "both" else 1)
    labels = torch.ones(rows, length.labels, dtype=torch.long)
    if kind == "mt5":
        ids = torch.ones(rows, length.source, dtype=torch.long)
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}
    if kind == "hybrid":
        feats = torch.zeros(rows, int(100 * length.seconds), config.audio.num_mel_bins)
        frames, tokens = torch.full((rows,), feats.shape[1]), torch.full((rows,), length.labels)
        return {"feats": feats, "feat_lens": frames, "toks": labels, "tok_lens": tokens}
    extra = {"ctc_labels": labels} if config.model.ctc_weight else {}
    if kind == "whisper":
        features = torch.zeros(rows, model.config.num_mel_bins, 2 * model.config.max_source_positions)
        return {"input_features": features, "labels": labels, **extra}
    samples = torch.zeros(rows, int(length.seconds * config.audio.sample_rate))
    mask = torch.ones(samples.shape, dtype=torch.long)
    return {"input_values": samples, "attention_mask": mask, "labels": labels, **extra}
