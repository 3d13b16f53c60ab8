"""Exchanges targets between the rows of one batch, with all that goes with them."""

from collections.abc import Sequence
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_changes import target_parts
from probes.facts.core.batch_rows import rows_of_batch
from probes.facts.core.batches import copy_batch
from probes.facts.core.step_setup import LabelsOf

TASKS = 4  # first tokens at most: more are the beginnings of texts


def ways_to_swap(batch: Any, labels_of: LabelsOf, most: int) -> list[Any]:
    """The batch as it is, then with targets moved on by one row, by two …; only among rows of the same task."""
    labels = labels_of(batch)
    if not isinstance(labels, torch.Tensor) or not labels.dim():
        raise NotApplicable("the batches have no labels with one entry per row: pass labels_of")
    rows = rows_of_batch(batch, labels)
    groups = _tasks(labels)
    count = min(most, *(len(group) for group in groups))
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
    for value in target_parts(changed, labels):
        value.copy_(value[order].clone())
    if not torch.equal(labels_of(changed), labels_of(batch)[order]):
        raise NotApplicable("labels_of creates new labels: they cannot be swapped in the batch")
    return changed
