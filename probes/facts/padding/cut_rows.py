"""Takes the shortest row of a batch out of it and cuts off its padding, as if it had been collated alone."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import MASKS, CannotSplitBatch, input_of, rows_of_batch, select_rows, tensors
from probes.facts.core.step_setup import LabelsOf
from probes.facts.padding.padded_batches import PaddedBatches


def cut_from_batch(batches: Sequence[Any], labels_of: LabelsOf, padding: Sequence[int] = ()) -> PaddedBatches:
    """Of the first batch in which a row is shorter than another; `padding`: ids that fill rows of tokens."""
    for batch in batches:
        try:
            rows = rows_of_batch(batch, labels_of(batch))
        except CannotSplitBatch:
            continue
        for time, lengths in _lengths(batch, padding):
            short, long = min(lengths), max(lengths)
            if 0 < short < long == time and len(lengths) == rows:
                row, other = lengths.index(short), lengths.index(long)
                alone = cut_time(select_rows(batch, [row], rows), time, short)
                return PaddedBatches(alone, alone, select_rows(batch, [row, other], rows))
    raise NotApplicable("no batch has a padded row that a mask, lengths or padding ids show")


def cut_time(value: Any, time: int, length: int) -> Any:
    """The value with every time axis of this size cut to the first steps; what has none stays."""
    if isinstance(value, torch.Tensor):
        axis = next((axis for axis in range(1, value.dim()) if value.shape[axis] == time), None)
        return value if axis is None else value.narrow(axis, 0, length)
    if isinstance(value, Mapping):
        clone: Any = copy.copy(value)
        for name in list(value):
            clone[name] = cut_time(value[name], time, length)
        return clone
    if isinstance(value, list | tuple):
        return getattr(value, "_make", type(value))(cut_time(part, time, length) for part in value)
    return value


def _lengths(batch: Any, padding: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """The size of the time axis, and how much of it each row fills; rows that are filled up in front are left out."""
    read = input_of(batch)
    if read is None or read[1].dim() not in (2, 3):
        return
    sizes, named = set(read[1].shape[1:]), dict(tensors(batch))
    filled = _unfilled(read[1], padding)
    for name in MASKS:
        mask = named.get(name)
        if mask is None or mask.is_floating_point():
            continue
        if mask.dim() == 2 and mask.shape[1] in sizes and bool(mask[:, 0].all()):
            unpadded = filled if filled and bool(mask.all()) else mask.sum(1).tolist()
            yield mask.shape[1], unpadded
        elif mask.dim() == 1 and int(mask.max()) in sizes:
            yield int(mask.max()), mask.tolist()
    if filled and not set(MASKS) & set(named):
        yield read[1].shape[1], filled


def _unfilled(ids: torch.Tensor, padding: Sequence[int]) -> list[int]:
    """How long rows of tokens are without padding ids at their end; one of them may be the end token of the row."""
    if ids.is_floating_point() or ids.dim() != 2 or not padding:
        return []
    text = ~torch.isin(ids, torch.tensor(list(padding), device=ids.device))
    last = torch.where(text, torch.arange(ids.shape[1], device=ids.device), -1).amax(1)
    return [min(int(place) + 2, ids.shape[1]) for place in last]
