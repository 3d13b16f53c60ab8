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
    drawn_again: "Sample | None" = None  # the same item with other random numbers, where that changes it

    @property
    def pictures(self) -> Mapping[str, Any]:
        """The inputs with an axis of bands beside time."""
        return {name: one for name, one in self.values.items() if one.ndim == 2 and min(one.shape) > 1}


@dataclass(frozen=True)
class Samples:
    """The first rows of the training set, in the order in which they are trained."""

    rows: tuple[Sample, ...]
    random: bool | None = None  # a second draw of the same items is another; None: it could not be tried
