"""Of one row, alone and filled up beside a longer one."""

from dataclasses import dataclass

OVER_TIME = ("GroupNorm", "BatchNorm", "InstanceNorm")


@dataclass(frozen=True)
class MaskCoverage:
    """A mask or a length in the batch: what it lets through of the row alone (`own`) and of the same row padded."""

    name: str
    own: int
    beside: int
    hidden: int = 0  # positions of the row alone that it shuts out though they hold something


@dataclass(frozen=True)
class PaddingEffect:
    """How much the same row differs when it is padded. Differences are in units of the values' own spread."""

    lengths: tuple[int, int]  # of the row and of its longer neighbour
    input_change: float = 0.0  # of the row's own input
    score_change: float | None = None  # of its scores; None where they could not be compared
    eps: float = 0.0  # the finest difference that the scores' type can tell
    module: str = ""  # the first, in running order, whose output differs at the beginning of the row
    kind: str = ""
    masks: tuple[MaskCoverage, ...] = ()
    accepted_masks: tuple[str, ...] = ()  # masks that the model's forward would take
    masked_change: float | None = None  # of its scores, once the batches are given the mask that they lack

    @property
    def differs(self) -> bool:
        """A module was seen to part, and the scores follow. Float32 leaves below 1e-5 in them (every healthy subject,
        ten seeds); at random weights, where an encoder is hardly listened to yet, a missing mask moves them by 3e-3."""
        return self.score_change is not None and self.score_change > (max(1e-4, self.eps) if self.module else 0.05)

    @property
    def is_norm_over_time(self) -> bool:
        """The rows part in a norm that averages over time, padding included."""
        return any(name in self.kind for name in OVER_TIME)

    @property
    def mask_forgotten(self) -> bool:
        """The batch lacks a mask that the model takes; such a norm takes one only where giving it mends the scores."""
        mends = self.masked_change is not None and self.masked_change <= max(1e-4, self.eps)
        return not self.masks and bool(self.accepted_masks) and (mends or not self.is_norm_over_time)
