"""Datasets of a split: rows as the collators take them, loaded by index."""

from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any, Self, TypeAlias

from torch.utils.data import Dataset

from trainer.config.schema import Audio, Config
from trainer.data.audio.errors import AudioError
from trainer.data.audio.load import audio_info, load_audio
from trainer.data.augmentation import WaveformAugmentation
from trainer.data.manifest import duration_of, row_id
from trainer.data.prepare import SPEECH_TEXTS
from trainer.data.table import Row

Item: TypeAlias = dict[str, Any]
REMEDY = "fix the file, or run `train prepare`, which removes and counts such rows"


class ManifestDataset(Dataset[Item]):
    """A dataset of rows, of which some can be taken."""

    rows: list[Row]
    epoch = 0
    _lengths: list[float] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def set_epoch(self, epoch: int) -> None:
        """Draw other augmentations from now on."""
        self.epoch = epoch

    def select(self, indices: Sequence[int]) -> Self:
        """The same dataset with these rows alone, as `select` of a Hugging Face dataset gives it."""
        selected = copy(self)
        selected.rows, selected._lengths = [self.rows[index] for index in indices], None
        return selected


class SpeechDataset(ManifestDataset):
    """Clips with their texts; the audio is decoded by `__getitem__`.

    `allow_nonfinite` is set under a guard, which skips and records a step with a non-finite sample and names the file;
    without one such a sample is refused. `augmentation` is set on the training set alone.
    """

    allow_nonfinite = False
    augmentation: WaveformAugmentation | None = None

    def __init__(
        self, rows: Sequence[Row], root: str | Path, audio: Audio, needed: Sequence[str] = SPEECH_TEXTS
    ) -> None:
        self.rows, self.root, self.audio, self.needed = list(rows), Path(root), audio, tuple(needed)

    def __getitem__(self, index: int) -> Item:
        row = self.rows[index]
        try:
            rate, longest = self.audio.sample_rate, self.audio.max_length_seconds
            samples = load_audio(row["audio_path"], self.root, rate, longest, finite=not self.allow_nonfinite)
        except AudioError as error:
            raise _with_row_id(row, error) from error
        seed: dict[str, int] = {}
        if self.augmentation is not None:
            samples, seed["augmentation_seed"] = self.augmentation.of_row(samples, self.epoch, row_id(row))
        return {
            "audio": samples,
            "sample_rate": self.audio.sample_rate,
            "transcript": row.get("transcript", ""),
            "translation": row.get("translation", ""),
            "audio_path": row["audio_path"],
            "duration": len(samples) / self.audio.sample_rate,
            "id": row_id(row),
            **{name: row[name] for name in ("video_id", "speaker_id") if name in row},
            **seed,
        }

    def without_augmentation(self) -> Self | None:
        """The same rows as they are in their files; None if that is what this set gives."""
        plain = copy(self)
        plain.augmentation = None
        return None if self.augmentation is None else plain

    def lengths(self) -> list[float]:
        """Seconds of each clip as it will be loaded: from the manifest, else from the audio header."""
        if self._lengths is None:
            self._lengths = [min(self._seconds(row), self.audio.max_length_seconds) for row in self.rows]
        return self._lengths

    def texts(self) -> list[str]:
        """The texts a vocabulary is built from: all that the task needs, row by row."""
        return [row[name] for row in self.rows for name in self.needed if name in row]

    def _seconds(self, row: Row) -> float:
        seconds = duration_of(row)
        if seconds is not None:
            return seconds
        try:
            return audio_info(row["audio_path"], self.root).seconds
        except AudioError as error:
            raise _with_row_id(row, error) from error


class TextDataset(ManifestDataset):
    """Documents with their summaries."""

    def __init__(self, rows: Sequence[Row], config: Config) -> None:
        self.rows, self.columns = list(rows), (config.data.document_column, config.data.summary_column)

    def __getitem__(self, index: int) -> Item:
        row = self.rows[index]
        document, summary = (row[name] for name in self.columns)
        return {"document": document, "summary": summary, "id": row_id(row)}

    def lengths(self) -> list[float]:
        """Characters of each document, in place of tokens."""
        return [float(len(row[self.columns[0]])) for row in self.rows]

    def texts(self) -> list[str]:
        """The texts a vocabulary is built from: documents and summaries."""
        return [row[name] for row in self.rows for name in self.columns]


SplitDataset: TypeAlias = SpeechDataset | TextDataset


def _with_row_id(row: Row, error: AudioError) -> AudioError:
    return AudioError(f"{row_id(row)}: {error.what}", REMEDY, error.rule)
