"""Types for the effect of padding on one row."""

from dataclasses import dataclass

# Float32 leaves below 1e-5 in the scores (every healthy subject, ten seeds); at random weights, where an encoder is
# hardly used yet, a missing mask moves them by 3e-3. They stand here, since `differs` also decides whether a further
# pass, with a mask, is run.
ROUNDING = 1e-4
UNLOCATED = 0.05  # where no module was found to differ


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

    @property
    def rounding(self) -> float:
        """What rounding alone may change in the scores."""
        return max(ROUNDING, self.eps)

    @property
    def differs(self) -> bool:
        """The scores change by more than rounding explains, and a module is known whose output does."""
        return self.score_change is not None and self.score_change > (self.rounding if self.module else UNLOCATED)
