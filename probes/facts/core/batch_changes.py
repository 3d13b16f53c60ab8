"""Changes one thing in a copy of a batch: the inputs or the labels."""

from typing import Any

import torch

from probes.facts.core.batch_rows import LONGEST_FIRST, LabelsOf, input_of, tensors
from probes.facts.core.batches import copy_batch
from probes.facts.core.torch_ops import iter_leaves

INPUTS = (*LONGEST_FIRST, "pixel_values", "images", "inputs_embeds")


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


def _inputs(batch: Any) -> list[torch.Tensor]:
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
        return 1 - labels if yes_or_no else labels + float(labels.float().std(correction=0)) + 1.0
    known = torch.unique(labels[labels >= 0])
    if len(known) > 1:
        following = known.roll(-1)[torch.searchsorted(known, labels.clamp(min=int(known[0])))]
    else:
        following = (labels + 1) % classes if classes and classes > 1 else labels
    return torch.where(labels >= 0, following, labels)
