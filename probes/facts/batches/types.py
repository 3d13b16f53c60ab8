"""Types for the drawn batches: the shape of the first, and a scan over more of them."""

from dataclasses import asdict, dataclass
from typing import Any

from diagnose.tensor_values import TensorValues
from probes.facts.core.types import Failure


@dataclass(frozen=True)
class BatchShape:
    """Keys and shapes of the first batch. `keys` is empty where the batch has no names (a pair, an object)."""

    keys: tuple[str, ...] = ()
    labels: tuple[int, ...] | None = None  # their shape; None where the batch has none
    kind: str = ""  # dtype of the labels
    whole: bool = False  # the labels are whole numbers, whatever their type
    inputs: tuple[tuple[str, tuple[int, ...]], ...] = ()  # every other tensor, with its shape
    model: str = ""
    takes_labels: bool = False  # forward has a parameter of that name
    lacking: tuple[str, ...] = ()  # required by forward and not in the batch


@dataclass(frozen=True)
class BadValues:
    """NaN or Inf in one tensor of a batch: how many, of how many, and in which row; None where it has no rows."""

    key: str
    row: int | None
    count: int
    size: int


@dataclass(frozen=True)
class PickedBatch:
    """A batch that stands out among those that were looked at. It is live: drawing it again may give another."""

    name: str  # batch 5, or the item that it was made of
    why: str
    batch: Any
    items: tuple[int, ...] = ()  # the dataset's rows in it, where a sampler names them
    bad: tuple[BadValues, ...] = ()


@dataclass(frozen=True)
class BatchScan:
    """How many batches were looked at, and those that stand out."""

    batches: int
    complete: bool  # these are all the batches of an epoch
    picked: tuple[PickedBatch, ...] = ()
    failure: Failure | None = None  # drawing raised, after that many batches
    classes: tuple[Any, ...] = ()  # labels of all rows, where they are one number each, or a vector of 0 and 1


@dataclass(frozen=True)
class LabelCounts:
    """How often the labels of a batch hold each value; where there are many values, the most frequent."""

    size: int
    scored: int  # not -100
    values: int  # different ones
    counts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class BatchValues:
    """Every tensor of the first batch in numbers."""

    tensors: tuple[TensorValues, ...]
    labels: LabelCounts | None = None

    def summary(self) -> dict[str, Any]:
        return {"tensors": list(map(asdict, self.tensors)), "labels": asdict(self.labels) if self.labels else None}
