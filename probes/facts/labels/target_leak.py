"""A model that is trained to say the next token of its own input: do its scores already see that token?"""

from collections.abc import Callable
from typing import Any

import torch

from probes.facts.core.batch_rows import input_of
from probes.facts.core.batches import copy_batch
from probes.facts.core.hooks import FunctionSpy
from probes.facts.labels.label_influence import SAME

ENTROPIES = ("cross_entropy", "nll_loss", "nll_loss_nd")
NEXT = 0.9  # of the scored targets are the token that follows: a tagger's or a masked model's are not


class NextTokenSpy(FunctionSpy):
    """The targets of the last cross-entropy."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: torch.Tensor | None = None

    def after_call(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        target = kwargs.get("target", args[1] if len(args) > 1 else None)
        if name in ENTROPIES and isinstance(target, torch.Tensor) and not target.is_floating_point():
            self.targets = target.detach()


def leak_distance(
    batch: Any,
    targets: torch.Tensor | None,
    scores: torch.Tensor | None,
    score: Callable[[Any], torch.Tensor | None],
) -> int | None:
    """How far before a token the scores that should foretell it change with it, as a negative number; else None."""
    read = input_of(batch)
    scored = _foretold(read[1], targets) if read is not None else None
    if read is None or scored is None or scores is None or scores.dim() != 3:
        return None
    ids, length = read[1], min(scored.shape[1], scores.shape[1])
    changed = copy_batch(batch)
    other, place = input_of(changed), ids.shape[1] // 2
    if other is None or scores.shape[0] != len(ids) or not place:
        return None
    other[1][:, place] = ids[:, place].roll(1)
    after, again = score(changed), score(batch)
    if after is None or again is None or after.shape != scores.shape or not torch.equal(again, scores):
        return None
    moved = (after - scores).abs().amax(-1) > SAME * float(scores.abs().max())
    leaks = (moved[:, :length] & scored[:, :length])[:, :place].any(0).nonzero().flatten().tolist()
    return leaks[0] - place if leaks else None


def _foretold(ids: torch.Tensor, targets: torch.Tensor | None) -> torch.Tensor | None:
    """Which positions are scored with the token that follows; None where that is not what the loss asks for."""
    if targets is None or ids.is_floating_point() or ids.dim() != 2 or len(ids) < 2:
        return None
    if (
        not len(ids)
        or targets.numel() % len(ids)
        or targets.numel() // len(ids) not in (ids.shape[1], ids.shape[1] - 1)
    ):
        return None
    asked = targets.reshape(len(ids), -1)[:, : ids.shape[1] - 1]
    scored, right = asked >= 0, asked == ids[:, 1:]
    here = asked == ids[:, :-1]
    share = float(right[scored].float().mean()) if bool(scored.any()) else 0.0
    return scored & right & ~here if share >= NEXT else None
