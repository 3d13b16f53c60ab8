"""Types for the rows of the training and evaluation set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class CorpusRow:
    """One row of a manifest, or one item of a dataset. `size`: bytes of its audio file, None where it is not there."""

    where: str
    split: str = "train"
    audio: str = ""  # as the row names it
    path: str | None = None  # of the audio file; None: no audio, or its folder is not known
    size: int | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None  # as given in the row
    decimals: int = 3  # of `seconds` as written
    tags: Mapping[str, str] = field(default_factory=dict)  # the other columns
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Corpus:
    """Rows of the corpus. `total` is larger than their number where only a sample of them was taken."""

    rows: Sequence[CorpusRow]
    total: int


@dataclass(frozen=True)
class BlankTexts:
    """Rows whose text of a column is empty, or a null value written as a word; `unused`: nobody filled the column."""

    column: str
    rows: int
    empty: tuple[CorpusRow, ...]
    written: tuple[CorpusRow, ...]
    unused: bool


@dataclass(frozen=True)
class UsualText:
    """The text that most of the training rows with this column have, and the first of them."""

    column: str
    text: str
    count: int
    total: int
    example: CorpusRow


@dataclass(frozen=True)
class Columns:
    """Which columns there are in each split, in how many rows; and those that the run is known to read."""

    present: Mapping[str, Mapping[str, int]]
    rows: Mapping[str, int]
    needed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClipLengths:
    """Seconds and characters of clips: (where, seconds, characters), evenly over the corpus, and the extremes."""

    rows: tuple[tuple[str, float, int], ...]
    total: int

    def figure(self) -> dict[str, Any]:
        """For the report: every row that was kept."""
        return {"rows": self.rows, "total": self.total}
