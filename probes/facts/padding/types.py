"""Types for the effect of padding on one row."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MaskCoverage:
    """A mask or a length in the batch: positions that it keeps of the row alone (`own`) and padded (`beside`)."""

    name: str
    own: int
    in_batch: int
    hidden: int = 0  # positions of the row alone that hold input and are masked


@dataclass(frozen=True)
class PaddingEffect:
    """How much the same row differs when it is padded. Differences are in units of the values' own spread."""

    lengths: tuple[int, int]  # of the row and of the longer one
    input_change: float = 0.0  # of the row's own input
    score_change: float | None = None  # of its scores; None where they could not be compared
    eps: float = 0.0  # the finest difference that the scores' type can tell
    module: str = ""  # the first, in running order, whose output differs at the beginning of the row
    kind: str = ""
    masks: tuple[MaskCoverage, ...] = ()
    accepted_masks: tuple[str, ...] = ()  # masks that the model's forward would take
    masked_change: float | None = None  # of its scores, once the batches are given the mask that they lack
