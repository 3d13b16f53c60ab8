"""Types for duplicate rows, within the training set or in both splits."""

from dataclasses import dataclass

from probes.facts.corpus.types import CorpusRow


@dataclass(frozen=True)
class DuplicatePair:
    """A row and an earlier one that is the same; `how`: the same file, the same samples, or the same text."""

    row: CorpusRow
    other: CorpusRow
    how: str


@dataclass(frozen=True)
class DuplicateInputs:
    """Rows with the same input: of the training set with the same target or another, and of both splits."""

    repeated: tuple[DuplicatePair, ...]
    conflicting: tuple[DuplicatePair, ...]
    across_splits: tuple[DuplicatePair, ...]
    train_rows: int
    eval_rows: int


@dataclass(frozen=True)
class RepeatedRows:
    """Rows of an evaluation, and how many of them repeat an earlier one; the first that does."""

    rows: int
    repeated: int
    first: str = ""


@dataclass(frozen=True)
class SharedTexts:
    """Rows of the evaluation set whose text stands in the training set too."""

    pairs: tuple[DuplicatePair, ...]
    eval_rows: int


@dataclass(frozen=True)
class NearDuplicates:
    """How many texts have a near twin among training texts of other groups: evaluation's, and training's own."""

    floor: float  # likeness from which two texts are near, of 1
    eval_near: int
    eval_read: int
    train_near: int
    train_read: int
    pairs: tuple[tuple[CorpusRow, CorpusRow, float], ...] = ()  # the nearest of evaluation and training
    train_pairs: tuple[tuple[CorpusRow, CorpusRow, float], ...] = ()


@dataclass(frozen=True)
class GroupColumn:
    """A column that names where rows come from. `both`: its values on both sides, with the rows they have in eval."""

    column: str
    role: str  # video or speaker
    train: int
    eval: int
    both: tuple[tuple[str, int], ...] = ()
    example: CorpusRow | None = None


@dataclass(frozen=True)
class GroupColumns:
    """All such columns that both splits have."""

    columns: tuple[GroupColumn, ...]
    eval_rows: int
