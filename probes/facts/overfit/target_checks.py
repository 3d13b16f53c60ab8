"""What a loss asks for: the labels at their places, and the same at every pass?"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from probes.facts.core.batch_rows import with_other_labels
from probes.facts.core.step_setup import LabelsOf

if TYPE_CHECKING:
    from probes.facts.overfit.attempt_state import AttemptState

SAME = 1e-3  # of the largest score: sums in another order
FOLLOWS = 1e-6  # of the loss: less is no answer to other labels
LABELS, ROWS = "labels", "rows"
Pass = tuple[torch.Tensor | None, torch.Tensor | None]  # the classes that were asked for, and the scores


def labels_redrawn(passes: Sequence[Pass], size: int) -> str:
    """Over the same `size` batches at the same weights: `labels` where others are asked for and the scores stay;
    `rows` where the scores change too, as when rows are mixed with each other on their way into the model."""
    found = ""
    for number, (asked, said) in enumerate(passes[size:]):
        first, scores = passes[number % size]
        if first is None or asked is None or first.shape != asked.shape or torch.equal(first, asked):
            continue
        if said is None or scores is None or said.shape != scores.shape or _same(said, scores):
            return LABELS
        found = ROWS
    return found


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return bool((one - other).abs().max() <= SAME * one.abs().max())


def target_label_agreement(looks: "AttemptState", labels_of: LabelsOf) -> float | None:
    """Of the places that the loss looks at, the share whose class is the label there, or the next one's.

    None where they cannot be laid over each other.
    """
    right: list[int] = []
    places = 0
    for batch, wanted in zip(looks.subject.lesson.batches, looks.wanted, strict=True):
        over = [] if wanted is None else list(_laid(labels_of(batch), wanted))
        if wanted is None or not over:
            return None
        felt = wanted >= 0
        places += int(felt.sum())
        hits = [int((labels == wanted)[felt].sum()) for labels in over]
        right = [sum(pair) for pair in zip(right or [0] * len(hits), hits, strict=True)]
    return max(right) / places if places and not looks.seen.ctc[len(looks.wanted) :] else None


def _laid(labels: Any, wanted: torch.Tensor) -> Iterator[torch.Tensor]:
    """The labels over the places of the scores: as they stand, one further on, or without the first or last one."""
    if not isinstance(labels, torch.Tensor) or labels.dim() != wanted.dim() or labels.shape[:1] != wanted.shape[:1]:
        return
    labels = labels.to(wanted.device)
    if labels.shape == wanted.shape:
        yield labels
        yield labels.roll(-1, -1) if labels.dim() > 1 else labels
    elif labels.dim() == 2 and labels.shape[1] == wanted.shape[1] + 1:
        yield labels[:, 1:]
        yield labels[:, :-1]


def loss_depends_on_labels(looks: "AttemptState", labels_of: LabelsOf) -> bool:
    """Other labels give another loss: else it has another teacher, whose targets may well follow the inputs."""
    classes = looks.seen.classes or None
    for batch in looks.subject.lesson.batches:
        other = with_other_labels(batch, labels_of, classes)
        if other is None:
            continue
        now, then = looks.stepper.loss([batch]), looks.stepper.loss([other])
        looks.eyes.clear()
        if not abs(now - then) <= FOLLOWS * abs(now):
            return True
    return False
