"""Cuts a batch into rows, and finds its inputs."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch.utils.data import BatchSampler

from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import copy_batch
from probes.facts.core.fork import run_apart
from probes.facts.core.step_setup import LabelsOf
from probes.facts.core.torch_ops import iter_leaves, values_of

LONGEST_FIRST = ("input_features", "input_values", "feats", "input_ids", "inputs", "x")  # what the model reads

MASKS = ("attention_mask", "padding_mask", "input_lengths", "feat_lens", "src_key_padding_mask")

Collate = Callable[[list[Any]], Any]


class CannotSplitBatch(NotApplicable):
    """The batch cannot be split into rows."""


def rows_of_batch(batch: Any, labels: Any) -> int:
    """The number of rows, if everything in the batch agrees on it."""
    if any(leaf.layout is not torch.strided for leaf in iter_leaves(batch)):
        raise CannotSplitBatch("the batch holds a sparse tensor")
    read = input_of(batch)
    first = labels if isinstance(labels, torch.Tensor) and labels.dim() else read[1] if read else None
    if first is None:
        raise CannotSplitBatch("the batch has neither labels nor an input under a known key")
    others = {name: value.shape[0] for name, value in _parts(batch) if value.dim()}
    odd = [name for name, size in others.items() if size != first.shape[0]]
    if odd or not others:
        raise CannotSplitBatch(f"{odd[0] if odd else 'nothing in the batch'} does not have one entry per row")
    return first.shape[0]


def select_rows(batch: Any, numbers: Sequence[int], rows: int, nested: bool = False) -> Any:
    """The batch of these rows only, in this order, also twice; what has no entry for each row stays whole."""
    if isinstance(batch, torch.Tensor):
        return batch[list(numbers)] if batch.dim() and len(batch) == rows else batch
    if isinstance(batch, Mapping):
        cut: Any = copy.copy(batch)
        for name in list(batch):
            cut[name] = select_rows(batch[name], numbers, rows, nested=True)
        return cut
    if not isinstance(batch, list | tuple):
        return _with_values(batch, {n: select_rows(v, numbers, rows, nested=True) for n, v in named_values(batch)})
    columns = not nested and any(isinstance(part, torch.Tensor) for part in batch)
    by_row = len(batch) == rows and not columns and not hasattr(batch, "_fields")
    parts = [batch[n] for n in numbers] if by_row else [select_rows(part, numbers, rows, nested=True) for part in batch]
    return batch._make(parts) if hasattr(batch, "_make") else type(batch)(parts)


def _with_values(batch: Any, values: Mapping[str, Any]) -> Any:
    """A copy of an object with other values; one without named values stays as it is."""
    clone = copy.copy(batch) if values else batch
    for name, value in values.items():
        object.__setattr__(clone, name, value)  # a frozen dataclass refuses a plain assignment
    return clone


def _parts(batch: Any) -> Iterator[tuple[str, torch.Tensor]]:
    yield from tensors(batch)
    if isinstance(batch, list | tuple) and not hasattr(batch, "_fields"):
        yield from ((str(place), value) for place, value in enumerate(batch) if isinstance(value, torch.Tensor))


def collated(dataset: Any, groups: Sequence[Sequence[int]], collate: Collate) -> list[Any]:
    """One batch for each group."""

    def work() -> list[Any]:
        return [collate([copy_batch(dataset[number]) for number in group]) for group in groups]

    return run_apart(work, dataset, collate)


def batch_room(batch: Any, labels_of: LabelsOf, dataset: Any, collate: Collate, loader: Any) -> tuple[int, int | None]:
    """Items in a batch, and its number of elements if a custom batch sampler may bound that instead."""
    rows = rows_of_batch(batch, labels_of(batch))
    (one,) = collated(dataset, [[0]], collate)
    each = rows_of_batch(one, labels_of(one))
    sampler = getattr(loader, "batch_sampler", None)
    read = input_of(batch)
    own = sampler is not None and type(sampler) is not BatchSampler and read is not None
    return max(1, rows // max(each, 1)), read[1].numel() if own and read else None


def input_of(batch: Any) -> tuple[str, torch.Tensor] | None:
    """The model's input: by name, the first of a pair, or the largest float tensor."""
    named = dict(tensors(batch))
    for name in LONGEST_FIRST:
        if name in named:
            return name, named[name]
    if isinstance(batch, list | tuple) and batch and isinstance(batch[0], torch.Tensor):
        return "0", batch[0]
    if isinstance(batch, torch.Tensor):
        return ("batch", batch) if batch.dim() else None
    floats = [(name, value) for name, value in named.items() if value.is_floating_point() and value.dim() > 1]
    return max(floats, key=lambda pair: pair[1].numel(), default=None)


def tensors(batch: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The batch's tensors by name; of a tensor alone, itself; of a sparse one, the values."""
    yield from (("batch", values_of(batch)),) if isinstance(batch, torch.Tensor) else ()
    yield from ((name, values_of(value)) for name, value in named_values(batch) if isinstance(value, torch.Tensor))


def named_values(batch: Any) -> Iterator[tuple[str, Any]]:
    """What a mapping, a namedtuple, a dataclass or a plain object holds; nothing for lists, tensors and text."""
    if isinstance(batch, Mapping):
        yield from ((str(key), value) for key, value in batch.items())
    elif hasattr(batch, "_fields"):
        yield from zip(batch._fields, batch, strict=True)
    elif is_dataclass(batch) and not isinstance(batch, type):
        yield from ((field.name, getattr(batch, field.name)) for field in fields(batch))
    elif not isinstance(batch, list | tuple | torch.Tensor) and not callable(batch):
        yield from getattr(batch, "__dict__", {}).items()


def rows_of(labels: Any) -> Iterator[list[int]]:
    """Rows of whole numbers, also of unequal length; none for floats and texts, which have neither padding nor mask."""
    if isinstance(labels, list | tuple) and all(isinstance(row, torch.Tensor | list | tuple) for row in labels):
        for row in labels:
            yield from rows_of(torch.as_tensor(row)[None]) if _are_numbers(row) else ()
    elif labels is not None and _are_numbers(labels):
        table = torch.as_tensor(labels)
        if not table.is_floating_point() and table.dim() in (1, 2):
            yield from table.reshape(len(table), -1).tolist()


def _are_numbers(labels: Any) -> bool:
    """Whether torch can make a tensor of them: not of texts, nor of anything else that a batch may hold."""
    try:
        return isinstance(labels, torch.Tensor) or torch.as_tensor(labels) is not None
    except (TypeError, ValueError, RuntimeError):
        return False
