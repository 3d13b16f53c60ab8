"""Of items beside the batches that the run's own collator makes of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from probes.facts.labels.prefix_types import task_of


@dataclass(frozen=True)
class DatasetItem:
    """One item of the training set: its texts by name, and its labels where it is tokenised already."""

    where: str
    texts: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[int, ...] | None = None


@dataclass(frozen=True)
class RowAlignment:
    """Rows of a batch whose item is known by input and by labels, and those of two items: row, input's, labels'."""

    matched: int = 0
    misaligned: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True)
class CollatedSample:
    """Some items, the labels of one batch of them all, and the shortest of them alone and beside the longest."""

    items: tuple[DatasetItem, ...]
    labels: tuple[tuple[int, ...], ...] = ()
    alone: Any = None  # batches, opaque as they are
    again: Any = None  # the same once more: a collator may draw at random
    pair: Any = None
    sizes: tuple[int, int] = (0, 0)  # numbers in the input of the shortest and of the longest
    alignment: RowAlignment = RowAlignment()


@dataclass(frozen=True)
class LabelTextMatch:
    """One row of the labels beside the text it was made of. `column` is empty where no text of its item is found."""

    where: str
    item: int
    task_index: int  # which time the collator has this item: halves of a multitask batch are 0 and 1
    prefix: tuple[str, ...] = ()  # special tokens before the text, by name
    columns: tuple[str, ...] = ()  # texts of the item that it could be
    missing_at_end: int = 0  # tokens of the text that the labels lack, at the end
    missing_at_start: int = 0  # likewise, at the beginning
    masked: int = 0  # likewise, since they are -100 in its midst
    ended: bool = False  # the end token stands behind it
    length: int = 0  # scored labels
    as_source: bool = False  # as the tokenizer writes a source, not a target

    @property
    def task(self) -> str:
        return task_of(self.prefix)

    @property
    def column(self) -> str:
        return self.columns[0] if self.columns else ""


@dataclass(frozen=True)
class LabelTextMatches:
    """All rows; `over` of `counted` texts of the corpus are longer than the limit."""

    rows: tuple[LabelTextMatch, ...]
    items: tuple[DatasetItem, ...]
    parts: int = 1  # how often the collator has each item; 0 where it gives no whole multiple of them
    limit: int | None = None  # the length at which labels were seen to be cut
    over: int = 0
    counted: int = 0
    tail: int = 0  # tokens that every row lacks at its end, whatever its length
