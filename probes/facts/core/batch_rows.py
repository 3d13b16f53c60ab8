"""Cuts a batch into rows and changes single things in a copy of it: the inputs, the labels."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.utils.data import BatchSampler

from diagnose.engine.context import NotApplicable
from probes.facts.core.batches import copy_batch
from probes.facts.core.fork import run_apart
from probes.facts.core.step_setup import LabelsOf
from probes.facts.core.torch_ops import iter_leaves

LONGEST_FIRST = ("input_features", "input_values", "feats", "input_ids", "inputs", "x")  # what the model reads

MASKS = ("attention_mask", "padding_mask", "input_lengths", "feat_lens", "src_key_padding_mask")

Collate = Callable[[list[Any]], Any]

INPUTS = (*LONGEST_FIRST, "pixel_values", "images", "inputs_embeds")


class CannotSplitBatch(NotApplicable):
    """The batch cannot be taken apart into rows."""


def rows_of_batch(batch: Any, labels: Any) -> int:
    """How many rows there are, where everything in the batch agrees on it."""
    read = input_of(batch)
    first = labels if isinstance(labels, torch.Tensor) and labels.dim() else read[1] if read else None
    if first is None:
        raise CannotSplitBatch("the batch holds neither labels nor an input that is known by name")
    others = {name: value.shape[0] for name, value in _parts(batch) if value.dim()}
    odd = [name for name, size in others.items() if size != first.shape[0]]
    if odd or not others:
        raise CannotSplitBatch(f"{odd[0] if odd else 'nothing in the batch'} does not have one entry for each row")
    return first.shape[0]


def select_rows(batch: Any, numbers: Sequence[int], rows: int) -> Any:
    """The batch of these rows only, in this order; the same row may come twice."""

    def pick(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dim():
            return value[list(numbers)].clone()
        several = isinstance(value, list) and len(value) == rows
        return [value[number] for number in numbers] if several else value

    if isinstance(batch, Mapping):
        cut: Any = copy.copy(batch)
        for name in list(batch):
            cut[name] = pick(batch[name])
        return cut
    parts = [pick(value) for value in batch]
    return batch._make(parts) if hasattr(batch, "_make") else type(batch)(parts)


def with_inputs_exchanged(batch: Any, inputs_of: LabelsOf | None = None) -> Any | None:
    """Every row gets another row's input; a lone row gets other values. None where that changes nothing."""
    changed = copy_batch(batch)
    inputs = list(iter_leaves(inputs_of(changed))) if inputs_of else _inputs(changed)
    before = [value.clone() for value in inputs]
    for value in inputs:
        value.copy_(_exchanged(value))
    same = all(torch.equal(one, other) for one, other in zip(before, inputs, strict=True))
    return None if same or not inputs else changed


def with_other_labels(batch: Any, labels_of: LabelsOf, classes: int | None) -> Any | None:
    """Every label of the first row is another one; what is not scored stays so. None where that cannot be done."""
    changed = copy_batch(batch)
    labels = labels_of(changed)
    if not isinstance(labels, torch.Tensor) or not labels.numel():
        return None
    labels[:1].copy_(_others(labels, classes)[:1])
    now, before = labels_of(changed), labels_of(batch)
    return None if torch.equal(now, before) else changed


def _parts(batch: Any) -> Iterator[tuple[str, torch.Tensor]]:
    yield from tensors(batch)
    if isinstance(batch, list | tuple):
        yield from ((str(place), value) for place, value in enumerate(batch) if isinstance(value, torch.Tensor))


def _inputs(batch: Any) -> list[torch.Tensor]:
    """All that is known by name, else the one that looks like it; not their masks: lengths alone tell nothing."""
    named = [value for name, value in tensors(batch) if name in INPUTS]
    read = input_of(batch)
    return named or ([read[1]] if read else [])


def _exchanged(value: torch.Tensor) -> torch.Tensor:
    if len(value) > 1:
        return value.roll(1, 0)
    if value.is_floating_point():
        return value + torch.randn_like(value) * (float(value.float().std(correction=0)) + 1e-3)
    return value.roll(1, -1)


def _others(labels: torch.Tensor, classes: int | None) -> torch.Tensor:
    if labels.dtype is torch.bool:
        return ~labels
    if labels.is_floating_point():
        yes_or_no = bool(((labels == 0) | (labels == 1)).all())
        return 1 - labels if yes_or_no else labels + float(labels.float().std(correction=0)) + 1.0
    known = torch.unique(labels[labels >= 0])
    if len(known) > 1:
        following = known.roll(-1)[torch.searchsorted(known, labels.clamp(min=int(known[0])))]
    else:
        following = (labels + 1) % classes if classes and classes > 1 else labels
    return torch.where(labels >= 0, following, labels)


def collated(dataset: Any, groups: Sequence[Sequence[int]], collate: Collate) -> list[Any]:
    """One batch for each group."""
    return run_apart(
        lambda: [collate([copy_batch(dataset[number]) for number in group]) for group in groups], dataset, collate
    )


def batch_room(batch: Any, labels_of: LabelsOf, dataset: Any, collate: Collate, loader: Any) -> tuple[int, int | None]:
    """Items in a batch; and its size in numbers, where a sampler of the run's own may bound that instead."""
    rows = rows_of_batch(batch, labels_of(batch))
    (one,) = collated(dataset, [[0]], collate)
    each = rows_of_batch(one, labels_of(one))
    sampler = getattr(loader, "batch_sampler", None)
    read = input_of(batch)
    own = sampler is not None and type(sampler) is not BatchSampler and read is not None
    return max(1, rows // max(each, 1)), read[1].numel() if own and read else None


def input_of(batch: Any) -> tuple[str, torch.Tensor] | None:
    """What the model reads: named so, the first of a pair, or the largest tensor of floats."""
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
    """Whole numbers only: labels that are not numbers of classes have neither padding nor a mask."""
    if not isinstance(labels, torch.Tensor):
        labels = torch.as_tensor(labels) if labels is not None else torch.empty(0)
    if labels.is_floating_point() or labels.dim() not in (1, 2):
        return
    yield from labels.reshape(len(labels), -1).tolist()
