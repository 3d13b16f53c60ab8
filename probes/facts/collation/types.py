"""Types for dataset items and the batches that the collator makes of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from probes.facts.labels.prefix_types import task_of


@dataclass(frozen=True)
class DatasetItem:
    """One item of the training set: its texts by name, and its labels where it is tokenised already."""

    where: str
    texts: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[int, ...] | None = None


@dataclass(frozen=True)
class RowAlignment:
    """Rows of a batch matched to items by input and by labels; `misaligned`: (row, item of input, item of labels)."""

    matched: int = 0
    misaligned: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True)
class CollatedSample:
    """Some items, and the labels of a batch of them all."""

    items: tuple[DatasetItem, ...]
    labels: tuple[tuple[int, ...], ...] = ()
    shortest: int = 0  # number of the item in the training set, by the size of its input
    longest: int = 0
    alignment: RowAlignment = RowAlignment()


@dataclass(frozen=True)
class LabelTextMatch:
    """One row of the labels, matched to a text of its item. `column` is empty where no text matches."""

    where: str
    item: int
    task_index: int  # 0 for the item's first row in the batch, 1 for its second, as in a multitask batch
    prefix: tuple[str, ...] = ()  # special tokens before the text, by name
    columns: tuple[str, ...] = ()  # texts of the item that it could be
    missing_at_end: int = 0  # tokens of the text that the labels lack, at the end
    missing_at_start: int = 0  # likewise, at the beginning
    masked: int = 0  # likewise, masked with -100 inside the text
    ended: bool = False  # the EOS token follows
    length: int = 0  # scored labels
    as_source: bool = False  # tokenized as a source text, not as a target

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
    limit: int | None = None  # the length at which labels are truncated
    over: int = 0
    counted: int = 0
    tail: int = 0  # tokens that every row lacks at its end, whatever its length
