"""Items that are the same number for number: in both splits, or more than once in one; as many as chance gives pass."""

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.digest import digest_of
from probes.facts.core.fork import CannotFork, ChildRaised, run_in_fork
from probes.facts.corpus.types import CorpusRow
from probes.facts.splits.types import DuplicateInputs, DuplicatePair

EVAL, TRAIN = 64, 2000  # items that are read
UNSEEN = 3  # repeats that may be there where none was seen: the upper limit of 95 %
SIGMAS = 3.0


def find_same_items(train: Any, other: Any) -> DuplicateInputs:
    """Evaluation items that are training items, where they are more than rows that recur by themselves explain."""
    chosen = _spread(len(other), EVAL)
    start = range(min(len(train), TRAIN // 2))
    numbers = sorted({*start, *_spread(len(train), TRAIN // 2), *(n for n in chosen if n < len(train))})
    seen = read_apart(lambda: ([_key(train[n]) for n in numbers], [_key(other[n]) for n in chosen]))
    keys, others = dict(zip(numbers, seen[0], strict=True)), dict(zip(chosen, seen[1], strict=True))
    first = {key: number for number, key in reversed(keys.items())}
    pairs = tuple(_pair(n, first[key]) for n, key in others.items() if key in first)
    usual = is_usual(len(pairs), len(others), len(keys) - len(first), len(keys))
    return DuplicateInputs((), (), () if usual else pairs, len(keys), len(others))


def is_usual(same: int, rows: int, repeats: int, train_rows: int) -> bool:
    """Whether so many of the rows have a twin by chance, as training rows have, of which so many are repeats."""
    expected = rows * 2 * (repeats + UNSEEN) / max(1, train_rows)
    return same <= expected + SIGMAS * sqrt(expected)


def read_apart(work: Callable[[], Any]) -> Any:
    """In a child: items may draw random numbers."""
    try:
        return run_in_fork(work)
    except CannotFork as reason:
        raise NotApplicable(f"the items cannot be read without a trace: {reason}") from reason
    except ChildRaised as reason:
        raise Unavailable(f"an item could not be read: {reason}") from reason


def _key(item: Any) -> str:
    return digest_of(item, unknown=repr)


def _spread(rows: int, most: int) -> Sequence[int]:
    return range(rows) if rows <= most else sorted({number * rows // most for number in range(most)})


def _pair(number: int, other: int) -> DuplicatePair:
    row = CorpusRow(f"eval_dataset[{number}]", "eval")
    return DuplicatePair(row, CorpusRow(f"train_dataset[{other}]"), "item")
