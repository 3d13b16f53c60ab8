"""Some rows of a batch, and the fewest of them that still do something."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import torch

from probes.instruments.forked import CannotFork, ChildRaised, in_child

NAMES = ("audio_path", "path", "file", "id")
Rows = tuple[int, ...]


def size_of(batch: Any) -> int:
    """How many rows a batch has: the first dimension that most of its tensors share."""
    sizes = Counter(len(tensor) for tensor in _leaves(batch) if tensor.dim())
    return sizes.most_common(1)[0][0] if sizes else 0


def chosen(batch: Any, rows: Rows, size: int | None = None) -> Any:
    """The batch with these rows only; what is not by row stays."""
    size = size_of(batch) if size is None else size
    if isinstance(batch, torch.Tensor):
        return batch[list(rows)] if batch.dim() and len(batch) == size else batch
    if isinstance(batch, dict):
        return {key: chosen(value, rows, size) for key, value in batch.items()}
    if isinstance(batch, list | tuple) and not hasattr(batch, "_fields"):
        if len(batch) == size and not any(isinstance(value, torch.Tensor) for value in batch):
            return type(batch)(batch[row] for row in rows)
        return type(batch)(chosen(value, rows, size) for value in batch)
    return batch


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


def _leaves(batch: Any) -> Sequence[torch.Tensor]:
    if isinstance(batch, torch.Tensor):
        return [batch]
    values = batch.values() if isinstance(batch, dict) else batch if isinstance(batch, list | tuple) else ()
    return [leaf for value in values for leaf in _leaves(value)]
