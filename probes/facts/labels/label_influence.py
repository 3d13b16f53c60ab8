"""Change one label and find the first logits that change; a causal decoder changes only later ones."""

from collections.abc import Callable
from typing import Any

import torch

from probes.facts.core.batches import copy_batch

SAME = 1e-5  # of the largest score: float32 rounds a hundred times finer, and unchanged positions are computed alike
NEAR = (-1, 1, 2)  # a label equal to one of these neighbours would not show which of them was read


def first_influenced_position(
    batch: Any,
    labels_of: Callable[[Any], Any],
    scores: torch.Tensor | None,
    score: Callable[[Any], torch.Tensor | None],
) -> int | None:
    """Distance from a changed label to the first score that changes, the smallest over the rows. None: none follows."""
    labels = labels_of(batch)
    if not isinstance(labels, torch.Tensor) or labels.dim() != 2 or scores is None or scores.dim() != 3:
        return None
    chosen = {row: place for row, ids in enumerate(labels.tolist()) if (place := _place(ids)) is not None}
    if scores.shape[:2] != labels.shape or not chosen or not bool(torch.isfinite(scores).all()):
        return None
    changed = copy_batch(batch)
    for row, place in chosen.items():
        _change(changed, labels_of(changed), row, place)
    after = score(changed)
    if after is None or after.shape != scores.shape:
        return None
    moved = (after - scores).abs().amax(-1) > SAME * float(scores.abs().max())
    found = [int(moved[row].nonzero()[0]) - place for row, place in chosen.items() if bool(moved[row].any())]
    if min(found, default=0) < 0 and not _repeats(scores, score(batch)):
        return None  # the model carries something over from pass to pass, which moves every score
    return min(found, default=None)


def _repeats(scores: torch.Tensor, again: torch.Tensor | None) -> bool:
    return again is not None and bool(((again - scores).abs() <= SAME * scores.abs().max()).all())


def _place(ids: list[int]) -> int | None:
    """A scored label in the middle that differs from its neighbours, all of them scored."""
    scored = [place for place, token in enumerate(ids) if token >= 0]
    fit = [
        place
        for place in scored
        if all(0 <= place + step < len(ids) and -1 < ids[place + step] != ids[place] for step in NEAR)
    ]
    return fit[len(fit) // 2] if fit else None


def _change(batch: Any, labels: torch.Tensor, row: int, place: int) -> None:
    """In the labels, and in decoder inputs that the collator made of them."""
    known = sorted({int(token) for token in labels.flatten().tolist() if token >= 0})
    old = int(labels[row, place])
    new = known[(known.index(old) + 1) % len(known)]
    labels[row, place] = new
    ready = batch.get("decoder_input_ids") if hasattr(batch, "get") else None
    if isinstance(ready, torch.Tensor) and ready.shape == labels.shape:
        for near in range(place, place + 3):
            if near < ready.shape[1] and int(ready[row, near]) == old:
                ready[row, near] = new
