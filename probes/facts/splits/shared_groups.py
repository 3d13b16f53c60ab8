"""Columns that name where rows come from, on both sides of a split."""

import unicodedata
from collections import Counter
from collections.abc import Sequence

from probes.facts.corpus.types import CorpusRow
from probes.facts.splits.types import GroupColumn


def shared(column: str, role: str, train: Sequence[CorpusRow], other: Sequence[CorpusRow]) -> GroupColumn | None:
    """The column's values in both splits; None where one of them does not fill it."""
    ours, theirs = _values(column, train), _values(column, other)
    if not ours or not theirs:
        return None
    both = tuple((name, count) for name, count in theirs.most_common() if name in ours)
    leaking = {name for name, _ in both}
    example = next((row for row in other if _value(column, row) in leaking), None)
    return GroupColumn(column, role, len(ours), len(theirs), both, example)


def _values(column: str, rows: Sequence[CorpusRow]) -> Counter[str]:
    return Counter(value for row in rows if (value := _value(column, row)))


def _value(column: str, row: CorpusRow) -> str:
    """Spaces around a name and the Unicode form of its letters do not make it another."""
    return unicodedata.normalize("NFC", row.tags.get(column, "")).strip()
