"""Measures a CTC loss while a model learns: its value, its floor, and whether any frame differs from the others."""

import torch

from probes.facts.core.ctc_call import CtcCall
from probes.facts.overfit.detail_types import CtcState
from probes.facts.overfit.entropy_floors import ctc_floor

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
