"""Do the labels of the same rows change when they are drawn again?"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import collated
from probes.facts.core.batches import ONCE, IndexRecordingSampler, copy_batch, run_over, tensors_of
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.require import has_items
from probes.facts.core.step_setup import LabelsOf

ROWS = 4  # that are collated twice


def relabeled(batches: Any, labels_of: LabelsOf, dataset: Any, collate: Any) -> str:
    """`same`, or which rows have other labels the second time."""
    one, other, what = _drawn_twice(batches, dataset, collate)
    differ = rows_with_changed_labels(one, other, labels_of)
    return f"{differ} of {what}" if differ else "same"


def _drawn_twice(batches: Any, dataset: Any, collate: Any) -> tuple[Any, Any, str]:
    """The same items collated twice; without items the first batch of two epochs, which are the same rows in order."""
    if has_items(dataset) and collate is not None:
        numbers = list(range(min(ROWS, len(dataset))))
        one, other = collated(dataset, [numbers, numbers], collate)
        return one, other, f"the first {len(numbers)} rows"

    def take(loader: Iterable[Any], recorder: IndexRecordingSampler | None) -> list[Any]:
        return [copy_batch(batch) for _ in range(2) for batch in islice(iter(loader), 1)]

    drawn, _ = run_over(batches, take)
    if len(drawn) != 2:
        raise NotApplicable(ONCE)
    return drawn[0], drawn[1], "the first batch's rows"


def rows_with_changed_labels(one: Any, other: Any, labels_of: LabelsOf) -> int:
    """Rows whose labels differ between two batches of the same items whose inputs are the same to the bit."""
    labels = [_labels_in(batch, labels_of) for batch in (one, other)]
    if not labels[0] or [own.shape for own in labels[0]] != [own.shape for own in labels[1]]:
        return 0
    pairs = zip((one, other), labels, strict=True)
    rest = [[value for _, value in tensors_of(batch) if all(value is not one for one in own)] for batch, own in pairs]
    if len(rest[0]) != len(rest[1]) or not rest[0] or not all(map(_equal, *rest)):
        return 0  # drawn anew together, as masking does: each label follows its input
    changed = [(a != b).reshape(len(a), -1).any(1) for a, b in zip(*labels, strict=True)]
    return int(torch.stack(changed).any(0).sum())


def _labels_in(batch: Any, labels_of: LabelsOf) -> list[torch.Tensor]:
    """The labels; of answers in a text, which have none, their first and last positions."""
    labels = labels_or_none(labels_of, batch)
    if labels is None and isinstance(batch, Mapping):
        found = [batch.get(name) for name in ("start_positions", "end_positions")]
    else:
        found = [labels]
    return [value for value in found if isinstance(value, torch.Tensor) and value.dim()]


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.equal(one, other)
