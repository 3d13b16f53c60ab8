"""Types for input features: their scale, and their preprocessing in training and evaluation."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FeatureRow:
    """One row of the inputs, without its padding where a mask or lengths are known."""

    mean: float
    std: float
    not_finite: int = 0


@dataclass(frozen=True)
class Features:
    """Float inputs of some batches, row by row."""

    key: str
    width: int  # of the last axis but time: bands, dimensions; 1 for waveforms; 0 where it varies, as a time axis does
    rows: tuple[FeatureRow, ...]
    first_layer: str = ""  # class of the model's first layer

    @property
    def mean(self) -> float:
        return sum(row.mean for row in self.rows) / len(self.rows)

    @property
    def rms(self) -> float:
        return (sum(row.mean**2 + row.std**2 for row in self.rows) / len(self.rows)) ** 0.5

    @property
    def std(self) -> float:
        return max(0.0, self.rms**2 - self.mean**2) ** 0.5


@dataclass(frozen=True)
class Preprocessing:
    """The same training items through both collators (`gap`: by how much of their scale they differ), and both sets."""

    train: Features
    evaluation: Features
    gap: float | None = None  # None: the training collator itself draws at random, or the shapes differ


@dataclass(frozen=True)
class SilentBatch:
    """What the collator makes of a clip of zeros."""

    key: str
    not_finite: int
    size: int
    silent_clips: int = 0  # found in the corpus


@dataclass(frozen=True)
class SetStatistics:
    """Of a whole set of vectors: how far its means are from 0 and its standard deviations from 1, at most."""

    rows: int
    mean: float
    std: float


@dataclass(frozen=True)
class SplitStatistics:
    """Of training, evaluation and both together; over the dimensions that vary."""

    dimensions: int
    train: SetStatistics
    evaluation: SetStatistics
    both: SetStatistics
