"""Changes one thing in a copy of a batch: the inputs or the labels."""

from collections.abc import Iterable
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import LONGEST_FIRST, LabelsOf, input_of, rows_of_batch, select_rows, tensors
from probes.facts.core.batches import copy_batch
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.torch_ops import iter_leaves

LIKE = 0.25  # of the elements differ: two rows of one batch mostly differ in nearly all
INPUTS = (*LONGEST_FIRST, "pixel_values", "images", "inputs_embeds")


def with_inputs_exchanged(batch: Any, inputs_of: LabelsOf | None = None) -> Any | None:
    """Every row gets another row's input; a lone row gets other values. None where that changes nothing."""
    changed = copy_batch(batch)
    inputs = list(iter_leaves(inputs_of(changed))) if inputs_of else input_leaves(changed)
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


def unlike_rows_first(batch: Any, rows: int) -> list[int]:
    """The rows as they stand, but for the second: where its input is nearly the first one's, the most different is."""
    order, read = list(range(rows)), input_of(batch)
    if read is None or rows < 3 or len(read[1]) != rows:
        return order
    shares = (read[1] != read[1][:1]).reshape(rows, -1).float().mean(1)
    other = int(shares.argmax()) if float(shares[1]) < LIKE else 1
    return [0, other, *(number for number in order[1:] if number != other)]


def input_leaves(batch: Any) -> list[torch.Tensor]:
    """All inputs known by name, else the likeliest one; without their masks, since lengths carry no content."""
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
        # by another amount at each place: some losses do not see a shift or a scale (SI-SNR, correlation)
        size = 2 * float(labels.float().std(correction=0)) + 2.0
        return 1 - labels if yes_or_no else labels + torch.rand_like(labels) * size
    known = torch.unique(labels[labels >= 0])
    if len(known) > 1:
        following = known.roll(-1)[torch.searchsorted(known, labels.clamp(min=int(known[0])))]
    else:
        following = (labels + 1) % classes if classes and classes > 1 else labels
    return torch.where(labels >= 0, following, labels)


def with_rest_exchanged(batch: Any, labels_of: LabelsOf) -> Any | None:
    """All but the targets moved on by one row: inputs, masks, lengths. None where there are no rows to exchange."""
    labels = labels_or_none(labels_of, batch)
    if not isinstance(labels, torch.Tensor) or not labels.dim():
        return None
    try:
        rows = rows_of_batch(batch, labels)
    except NotApplicable:
        return None
    changed = copy_batch(select_rows(batch, [(row + 1) % rows for row in range(rows)], rows))
    moved = labels_of(changed)
    if rows < 2 or not isinstance(moved, torch.Tensor) or moved.shape != labels.shape:
        return None
    pairs = zip(target_parts(batch, labels), target_parts(changed, moved), strict=True)
    for own, other in pairs:
        other.copy_(own)
    same = torch.equal(labels_of(changed), labels)
    return changed if same else None


def target_parts(batch: Any, labels: torch.Tensor) -> list[torch.Tensor]:
    """The labels, and what goes with them."""
    counts = (labels >= 0).sum(-1) if labels.dim() == 2 else None
    return [labels, *_label_tensors(batch, labels, counts)]


def _label_tensors(batch: Any, labels: torch.Tensor, counts: torch.Tensor | None) -> Iterable[torch.Tensor]:
    """What goes with the labels: the decoder's inputs, and how long each row of labels is."""
    for name, value in batch.items() if hasattr(batch, "items") else ():
        if not isinstance(value, torch.Tensor) or value is labels or not value.dim():
            continue
        if str(name).startswith("decoder_") or (counts is not None and torch.equal(value, counts)):
            yield value
