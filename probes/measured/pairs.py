"""Of inputs and their texts: do they belong to each other?"""

from dataclasses import dataclass

from probes.measured.corpus import CorpusRow


@dataclass(frozen=True)
class Fit:
    """How closely two sides of the same rows go together, against shuffled rows (a permutation test)."""

    left: str
    right: str
    by: str  # length: long ones go with long ones; words: a text uses the words of its own document
    first: CorpusRow
    last: CorpusRow
    rows: int
    correlation: float  # of ranks; by words: how much more is shared with the own document than with another
    chance: float  # share of shuffles that fit as well
    others: float | None = None  # the usual correlation in other stretches of the manifest; None: these are all rows
    shift: int = 0  # rows by which the right side must be moved to fit best; 0: no shift helps
    shifted: float = 0.0  # the correlation then


@dataclass(frozen=True)
class Fits:
    """Of every pair of measures: all rows together, then each stretch of them."""

    rows: tuple[Fit, ...]
