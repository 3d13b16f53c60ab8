"""Types for rows that a person looks at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from diagnose.tensor_values import TensorValues
from probes.facts.audio.types import WaveformStats


@dataclass(frozen=True)
class LabelPart:
    """Neighboring labels of one kind. `masked`: they are -100, so the loss does not score them."""

    count: int
    text: str
    masked: bool = False


@dataclass(frozen=True)
class Clip:
    """The audio of a row: samples of one channel, as they go into the collator."""

    stats: WaveformStats
    rate: int | None
    samples: Any = field(repr=False, default=None)  # numpy, float32

    def envelope(self) -> list[tuple[float, float]]:
        """The lowest and the highest sample of each column of a drawn waveform."""
        from probes.facts.samples.files import envelope

        return envelope(self.samples)

    def wav(self) -> bytes:
        from probes.facts.samples.files import wav

        return wav(self.samples, self.rate or 16_000)


@dataclass(frozen=True)
class Sample:
    """One row of a batch, beside the item it was made of. `values`: its float inputs by name, numpy."""

    where: str
    texts: Mapping[str, str]
    inputs: tuple[TensorValues, ...]
    labels: tuple[LabelPart, ...] = ()
    clip: Clip | None = None
    values: Mapping[str, Any] = field(repr=False, default_factory=dict)
    input_text: str = ""
    second_draw: "Sample | None" = None  # the same item with other random numbers, where that changes it
    plain: "Sample | None" = None  # the same item without augmentation, where the dataset can give that

    def pictures(self) -> dict[str, bytes]:
        """PNGs of the inputs with an axis of bands beside time; where there is none, of the audio."""
        from probes.facts.samples.files import oriented, png
        from probes.facts.samples.log_mel import log_mel

        found = {name: one for name, one in self.values.items() if one.ndim == 2 and min(one.shape) > 1}
        if not found and self.clip is not None:
            found = {"log-mel of the audio": log_mel(self.clip.samples, self.clip.rate or 16_000)}
        return {f"{name}, {one.shape[0]} x {one.shape[1]}": png(oriented(one)) for name, one in found.items()}


@dataclass(frozen=True)
class Samples:
    """The first rows of the training set, in the order in which they are trained."""

    rows: tuple[Sample, ...]
    random: bool | None = None  # a second draw of the same items is another; None: it could not be tried

    def page_rows(self) -> tuple[Sample, ...]:
        """For the page of a report."""
        return self.rows
