"""Checks the targets of a loss: are they the labels at their positions, and the same at every pass?"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from probes.facts.core.batch_changes import with_other_labels
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.step_setup import LabelsOf

if TYPE_CHECKING:
    from probes.facts.overfit.attempt_state import AttemptState

SAME = 1e-3  # of the largest score: sums in another order
FOLLOWS = 1e-6  # of the loss: less is no answer to other labels
LABELS, ROWS = "labels", "rows"
Pass = tuple[torch.Tensor | None, torch.Tensor | None]  # the targets of the loss, and the scores


def labels_redrawn(passes: Sequence[Pass], size: int) -> str:
    """Over the same `size` batches at the same weights: `labels` if only the targets change;
    `rows` if the scores change too, as when rows are mixed with each other on their way into the model."""
    found = ""
    for number, (targets, logits) in enumerate(passes[size:]):
        first, scores = passes[number % size]
        if first is None or targets is None or first.shape != targets.shape or torch.equal(first, targets):
            continue
        if logits is None or scores is None or logits.shape != scores.shape or _same(logits, scores):
            return LABELS
        found = ROWS
    return found


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return bool((one - other).abs().max() <= SAME * one.abs().max())


def target_label_agreement(attempt: "AttemptState", labels_of: LabelsOf) -> float | None:
    """Of the positions that the loss scores, the share whose target is the label there, or the next one's.

    None where they cannot be laid over each other.
    """
    right: list[int] = []
    places = 0
    for batch, targets in zip(attempt.subject.selection.batches, attempt.targets, strict=True):
        over = [] if targets is None else list(_aligned(labels_or_none(labels_of, batch), targets))
        if targets is None or not over:
            return None
        scored = targets >= 0
        places += int(scored.sum())
        hits = [int((labels == targets)[scored].sum()) for labels in over]
        right = [sum(pair) for pair in zip(right or [0] * len(hits), hits, strict=True)]
    return max(right) / places if places and not attempt.totals.ctc[len(attempt.targets) :] else None


def _aligned(labels: Any, targets: torch.Tensor) -> Iterator[torch.Tensor]:
    """The labels over the places of the scores: as they stand, one further on, or without the first or last one."""
    if not isinstance(labels, torch.Tensor) or labels.dim() != targets.dim() or labels.shape[:1] != targets.shape[:1]:
        return
    labels = labels.to(targets.device)
    if labels.shape == targets.shape:
        yield labels
        yield labels.roll(-1, -1) if labels.dim() > 1 else labels
    elif labels.dim() == 2 and labels.shape[1] == targets.shape[1] + 1:
        yield labels[:, 1:]
        yield labels[:, :-1]


def loss_depends_on_labels(attempt: "AttemptState", labels_of: LabelsOf) -> bool:
    """Whether other labels give another loss: else it has targets of its own."""
    classes = attempt.totals.classes or None
    for batch in attempt.subject.selection.batches:
        other = with_other_labels(batch, lambda one: labels_or_none(labels_of, one), classes)
        if other is None:
            continue
        now, then = attempt.stepper.loss([batch]), attempt.stepper.loss([other])
        attempt.reader.clear()
        if not abs(now - then) <= FOLLOWS * abs(now):
            return True
    return False
