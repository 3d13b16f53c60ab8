"""What labels alone say: their entropy, what CTC makes of them, and whether they are drawn anew or the input."""

from collections import Counter
from typing import Any

import torch

from probes.facts.core.batch_rows import input_of
from probes.facts.core.ctc_call import CtcCall
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.numbers import Rows, entropy
from probes.facts.core.step_setup import LabelsOf
from probes.facts.overfit.detail_types import CtcState


def reads_its_labels(batch: Any, labels_of: LabelsOf) -> bool:
    """Whether this is a language model's batch: the labels are its input."""
    labels, read = labels_or_none(labels_of, batch), input_of(batch)
    if read is None or not isinstance(labels, torch.Tensor) or read[1].shape != labels.shape or labels.dim() < 2:
        return False
    scored = labels >= 0
    return bool(scored.any()) and float((read[1] == labels)[scored].float().mean()) > 0.9


ROUNDING = 1e-3  # nats: scores in half precision, normalised on another device


def ctc_loss_of(call: CtcCall) -> float:
    """A mean over labels and rows, whatever the model's own reduction is."""
    with torch.no_grad():
        return float(torch.nn.functional.ctc_loss(*_clamped(call), zero_infinity=True))


def floor_of(call: CtcCall) -> float:
    """The lowest loss of one distribution that is the same in every frame."""
    return ctc_floor(*_clamped(call))


def _clamped(call: CtcCall) -> CtcCall:
    return call._replace(targets=call.targets.clamp(min=0))


def reads_logits(call: CtcCall, logits: torch.Tensor) -> bool:
    """Whether these are its scores, by rows or by frames: as many labels as frames make no frames of labels."""
    plain = logits.detach().float().cpu()
    ways = (plain, plain.transpose(0, 1)) if plain.dim() == 3 else ()
    own = call.log_probs.log_softmax(-1)
    return any(one.shape == own.shape and torch.allclose(one.log_softmax(-1), own, atol=ROUNDING) for one in ways)


def frame_spread(call: CtcCall) -> float:
    """By how much the scores differ from frame to frame and from row to row, in nats at most."""
    scores = call.log_probs[_inside(call)]
    return float((scores - scores.mean(0)).abs().max())


def nonblank_fraction(call: CtcCall) -> float:
    """Of the frames, by their likeliest class."""
    return float((call.log_probs.argmax(-1) != call.blank)[_inside(call)].float().mean())


def _inside(call: CtcCall) -> torch.Tensor:
    return torch.arange(len(call.log_probs))[:, None] < call.frames[None, :]


def state_of(first: CtcCall, now: CtcCall, floor: float, updates: int) -> CtcState:
    return CtcState(ctc_loss_of(first), ctc_loss_of(now), floor, nonblank_fraction(now), frame_spread(now), updates)


STEPS, RATE = 150, 0.3  # of the search for the best constant answer; it is a small and smooth one


def prefix_entropy(rows: Rows) -> float | None:
    """Mean entropy of the next label where all before it is known, but not which row it is."""
    total = sum(len(row) for row in rows)
    return None if not total else prefix_entropy_sum(rows) / total


def prefix_entropy_sum(rows: Rows) -> float:
    """In nats, over all labels."""
    following: dict[tuple[int, ...], Counter[int]] = {}
    for row in rows:
        for place, token in enumerate(row):
            following.setdefault(tuple(row[:place]), Counter())[token] += 1
    return sum((entropy(counts) or 0.0) * counts.total() for counts in following.values())


def ctc_floor(
    scores: torch.Tensor, targets: torch.Tensor, frames: torch.Tensor, lengths: torch.Tensor, blank: int
) -> float:
    """The lowest CTC loss, a mean over labels and rows, of one distribution that is the same in every frame."""
    used = torch.unique(targets.masked_fill(targets < 0, blank))
    known = torch.unique(torch.cat([used, used.new_tensor([blank])]))  # what never occurs only costs
    place = {int(token): number for number, token in enumerate(known)}
    mapped = targets.clone().apply_(lambda token: place.get(int(token), place[blank]))
    logits = torch.zeros(len(known), requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=RATE)
    best = float("inf")
    with torch.enable_grad():
        for _ in range(STEPS):
            constant = logits.log_softmax(-1).expand(scores.shape[0], scores.shape[1], -1)
            loss = torch.nn.functional.ctc_loss(constant, mapped, frames, lengths, place[blank], zero_infinity=True)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            best = min(best, float(loss.detach()))
    return best
