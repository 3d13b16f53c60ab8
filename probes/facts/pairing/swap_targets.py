"""Exchanges targets between the rows of one batch, with all that goes with them."""

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import rows_of_batch
from probes.facts.core.batches import copy_batch
from probes.facts.core.step_setup import LabelsOf

WAYS = 4  # to swap, with the pairs as they are: 4 ** 6 can show a chance of 1e-3
TASKS = 4  # first tokens at most: more are the beginnings of texts


def ways_to_swap(batch: Any, labels_of: LabelsOf) -> list[Any]:
    """The batch as it is, then with targets moved on by one row, by two …; only among rows of the same task."""
    labels = labels_of(batch)
    if not isinstance(labels, torch.Tensor) or not labels.dim():
        raise NotApplicable("the batches hold no labels with one entry for each row: give labels_of")
    rows = rows_of_batch(batch, labels)
    groups = _tasks(labels)
    count = min(WAYS, *(len(group) for group in groups))
    return [_swapped(batch, labels_of, groups, way, rows) for way in range(count)]


def _tasks(labels: torch.Tensor) -> list[list[int]]:
    """Rows by their first token, where that names a task."""
    every = list(range(len(labels)))
    firsts = labels[:, 0].tolist() if labels.dim() == 2 and labels.shape[1] > 1 else every
    groups = [[row for row in every if firsts[row] == token] for token in dict.fromkeys(firsts)]
    return groups if len(groups) <= TASKS and min(map(len, groups)) > 1 else [every]


def _swapped(batch: Any, labels_of: LabelsOf, groups: Sequence[Sequence[int]], way: int, rows: int) -> Any:
    order = list(range(rows))
    for group in groups:
        for place, row in enumerate(group):
            order[row] = group[(place + way) % len(group)]
    changed = copy_batch(batch)
    labels = labels_of(changed)
    counts = (labels >= 0).sum(-1) if labels.dim() == 2 else None
    for value in [labels, *_label_tensors(changed, labels, counts)]:
        value.copy_(value[order].clone())
    if not torch.equal(labels_of(changed), labels_of(batch)[order]):
        raise NotApplicable("labels_of makes its labels anew: they cannot be exchanged in the batch")
    return changed


def _label_tensors(batch: Any, labels: torch.Tensor, counts: torch.Tensor | None) -> Iterable[torch.Tensor]:
    """What goes with the labels: the decoder's inputs, and how long each row of labels is."""
    for name, value in batch.items() if hasattr(batch, "items") else ():
        if not isinstance(value, torch.Tensor) or value is labels or not value.dim():
            continue
        if str(name).startswith("decoder_") or (counts is not None and torch.equal(value, counts)):
            yield value
