"""The fewest rows of a batch that still do something, and what the dataset calls them."""

from collections.abc import Callable
from typing import Any

from probes.instruments.forked import CannotFork, ChildRaised, in_child

NAMES = ("audio_path", "path", "file", "id")
Rows = tuple[int, ...]


def fewest(rows: Rows, fails: Callable[[Rows], bool]) -> Rows:
    """By halving; where neither half fails alone, by leaving out one after the other."""
    while len(rows) > 1:
        half = len(rows) // 2
        part = next((part for part in (rows[:half], rows[half:]) if fails(part)), None)
        if part is None:
            return _without(rows, fails)
        rows = part
    return rows


def _without(rows: Rows, fails: Callable[[Rows], bool]) -> Rows:
    for row in rows:
        fewer = tuple(one for one in rows if one != row)
        if fewer and fails(fewer):
            rows = fewer
    return rows


def names_of(dataset: Any, indices: Rows) -> tuple[str, ...]:
    """The rows as the dataset calls them, or by their number in it; looked up in a child, since items may be drawn."""
    try:
        return in_child(lambda: tuple(_name(dataset, index) for index in indices))
    except (CannotFork, ChildRaised):
        return tuple(f"item {index} of the training set" for index in indices)


def _name(dataset: Any, index: int) -> str:
    rows = getattr(dataset, "rows", None)
    item = rows[index] if isinstance(rows, list) else dataset[index]
    said = next((item[key] for key in NAMES if isinstance(item.get(key), str)), "") if isinstance(item, dict) else ""
    return said or f"item {index} of the training set"
