"""Of data, labels and the environment."""

from dataclasses import dataclass
from typing import Any

from probes.facts.first_step.types import Failure


@dataclass(frozen=True)
class Drawing:
    """Some batches of the training set, opaque as they are; what drawing them used up; what it raised."""

    batches: tuple[Any, ...]
    consumed: str = ""
    failure: Failure | None = None
    seconds: float = 0.0
    indices: tuple[tuple[int, ...], ...] = ()  # the dataset's rows in each batch, where a sampler names them


@dataclass(frozen=True)
class SpecialIds:
    """The ids that pad labels and the one that ends them, as tokenizer and model name them."""

    padding: tuple[int, ...] = ()
    end: int | None = None
    vocabulary: int | None = None
    ends: tuple[int, ...] = ()  # all that end a sequence by anybody's word
    start: int | None = None  # what the model puts before the labels for its decoder


@dataclass(frozen=True)
class LabelRow:
    """One row of the labels. `padding`: positions at its end without text; `scored`: positions the loss looks at."""

    where: str
    batch: int
    length: int
    scored: int
    padding: int = 0
    scored_padding: int = 0
    padding_token: int | None = None
    first: int | None = None  # the first and last scored id
    last: int | None = None
    ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Package:
    """A package, imported in a process of its own. `ended` names the signal that ended it, if one did."""

    name: str
    version: str
    imported: bool
    error: str = ""
    ended: str = ""


@dataclass(frozen=True)
class Builds:
    """What the packages' own version files say; pip's metadata leaves the build tag out."""

    torch: str
    torchaudio: str
    loads: bool  # False: the extension is there, and it was built for another torch


@dataclass(frozen=True)
class BatchForm:
    """The first batch from outside. `keys` is empty where the batch has no names (a pair, an object)."""

    keys: tuple[str, ...] = ()
    labels: tuple[int, ...] | None = None  # their shape; None where the batch has none
    kind: str = ""  # the labels' type of number
    whole: bool = False  # the labels are whole numbers, whatever their type
    inputs: tuple[tuple[str, tuple[int, ...]], ...] = ()  # every other tensor, with its shape
    model: str = ""
    takes_labels: bool = False  # forward has a parameter of that name
    lacking: tuple[str, ...] = ()  # what forward cannot do without and the batch does not hold
