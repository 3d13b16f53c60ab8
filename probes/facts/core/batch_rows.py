"""Cuts a batch into rows, and finds its inputs."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils.data import BatchSampler

from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import copy_batch
from probes.facts.core.fork import run_apart
from probes.facts.core.step_setup import LabelsOf

LONGEST_FIRST = ("input_features", "input_values", "feats", "input_ids", "inputs", "x")  # what the model reads

MASKS = ("attention_mask", "padding_mask", "input_lengths", "feat_lens", "src_key_padding_mask")

Collate = Callable[[list[Any]], Any]


class CannotSplitBatch(NotApplicable):
    """The batch cannot be split into rows."""


def rows_of_batch(batch: Any, labels: Any) -> int:
    """The number of rows, if everything in the batch agrees on it."""
    read = input_of(batch)
    first = labels if isinstance(labels, torch.Tensor) and labels.dim() else read[1] if read else None
    if first is None:
        raise CannotSplitBatch("the batch holds neither labels nor an input that is known by name")
    others = {name: value.shape[0] for name, value in _parts(batch) if value.dim()}
    odd = [name for name, size in others.items() if size != first.shape[0]]
    if odd or not others:
        raise CannotSplitBatch(f"{odd[0] if odd else 'nothing in the batch'} does not have one entry for each row")
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
        return batch
    columns = not nested and any(isinstance(part, torch.Tensor) for part in batch)
    by_row = len(batch) == rows and not columns and not hasattr(batch, "_fields")
    parts = [batch[n] for n in numbers] if by_row else [select_rows(part, numbers, rows, nested=True) for part in batch]
    return batch._make(parts) if hasattr(batch, "_make") else type(batch)(parts)


def _parts(batch: Any) -> Iterator[tuple[str, torch.Tensor]]:
    yield from tensors(batch)
    if isinstance(batch, list | tuple):
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
    floats = [(name, value) for name, value in named.items() if value.is_floating_point() and value.dim() > 1]
    return max(floats, key=lambda pair: pair[1].numel(), default=None)


def tensors(batch: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """The batch's tensors by name."""
    if isinstance(batch, Mapping):
        yield from ((str(key), value) for key, value in batch.items() if isinstance(value, torch.Tensor))


def rows_of(labels: Any) -> Iterator[list[int]]:
    """Rows of integer labels; none for float labels, which have neither padding nor a mask."""
    if not isinstance(labels, torch.Tensor):
        labels = torch.as_tensor(labels) if labels is not None else torch.empty(0)
    if labels.is_floating_point() or labels.dim() not in (1, 2):
        return
    yield from labels.reshape(len(labels), -1).tolist()
