"""Of inputs and their targets: does a target fit its own input better than another row's?"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Relation:
    """Held-out rows, their targets foretold from their inputs: the own ones against swapped ones (by permutation)."""

    where: str
    rows: int
    chance: float  # share of permutations that fit as well
    sigmas: float  # by which the own targets fit better than swapped ones, in deviations of the permutations
    shift: int = 0  # rows by which the targets must be moved to fit best
    shifted: float = 0.0  # the sigmas then
    whole: bool = True  # False: a stretch of rows, beside others
    spoken: bool = False  # frames or samples in, several tokens out
    lengths: float | None = None  # rank correlation of the lengths of inputs and targets, where both vary


@dataclass(frozen=True)
class Relations:
    """For each kind of target: all rows that were read, and each stretch of them; the evaluation set for comparison."""

    train: tuple[Relation, ...]
    evaluation: tuple[Relation, ...] = ()
    rows: int = 0
    seconds: float = 0.0
    consumed: str = ""


@dataclass(frozen=True)
class PairLosses:
    """The model's own loss on held-out batches: with targets as they are, and with targets swapped between rows."""

    batches: int
    rows: int
    updates: int  # 0: before any training
    own: float
    swapped: float  # the mean over the ways to swap
    chance: float  # by permutation of the ways to swap, in each batch on its own
    before: float  # `own` before the training
    before_chance: float
    seconds: float
