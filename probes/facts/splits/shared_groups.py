"""Columns that name where rows come from, on both sides of a split."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

from probes.facts.corpus.manifest_rows import tags_of
from probes.facts.corpus.types import CorpusRow
from probes.facts.splits.types import GroupColumn


def shared(column: str, role: str, train: Sequence[CorpusRow], other: Sequence[CorpusRow]) -> GroupColumn | None:
    """The column's values in both splits; None where one of them does not fill it."""
    ours, theirs = _values(column, train), _values(column, other)
    if not ours or not theirs:
        return None
    both = tuple((name, count) for name, count in theirs.most_common() if name in ours)
    leaking = {name for name, _ in both}
    example = next((row for row, name in zip(other, _names(column, other), strict=True) if name in leaking), None)
    return GroupColumn(column, role, len(ours), len(theirs), both, example)


def _values(column: str, rows: Sequence[CorpusRow]) -> Counter[str]:
    return Counter(filter(None, _names(column, rows)))


def _names(column: str, rows: Sequence[CorpusRow]) -> list[str]:
    """Spaces around a name and the Unicode form of its letters do not make it another."""
    plain = cache(lambda name: unicodedata.normalize("NFC", name).strip())
    return [plain(name) for name in tags_of(rows, column)]
