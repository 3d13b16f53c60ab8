"""Hears a CTC loss while a model learns, and asks whether any frame differs from the others."""

from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from probes.facts.overfit.entropy_floors import ctc_floor
from probes.facts.overfit.types import CtcState

ROUNDING = 1e-3  # nats: scores in half precision, normalised on another device


@dataclass(frozen=True)
class CtcCall:
    """One call of the CTC loss: its scores as log-probabilities (frames, rows, classes), and what it was to align."""

    scores: torch.Tensor
    targets: torch.Tensor
    frames: torch.Tensor
    lengths: torch.Tensor
    blank: int

    def loss(self) -> float:
        """A mean over labels and rows, whatever the model's own reduction is."""
        with torch.no_grad():
            given = (self.scores, self.targets.clamp(min=0), self.frames, self.lengths, self.blank)
            return float(torch.nn.functional.ctc_loss(*given, zero_infinity=True))

    def floor(self) -> float:
        return ctc_floor(self.scores, self.targets.clamp(min=0), self.frames, self.lengths, self.blank)

    def reads(self, logits: torch.Tensor) -> bool:
        """Whether these are its scores, by rows or by frames: as many labels as frames make no frames of labels."""
        said = logits.detach().float().cpu()
        turned = (
            [one for one in (said, said.transpose(0, 1)) if one.shape == self.scores.shape] if said.dim() == 3 else []
        )
        mine = self.scores.log_softmax(-1)
        return any(torch.allclose(one.log_softmax(-1), mine, atol=ROUNDING) for one in turned)

    def varies(self) -> float:
        """By how much the scores differ from frame to frame and from row to row, in nats at most."""
        inside = torch.arange(len(self.scores))[:, None] < self.frames[None, :]
        said = self.scores[inside]
        return float((said - said.mean(0)).abs().max())

    def spoken(self) -> float:
        """Share of the frames whose likeliest class is not the blank."""
        inside = torch.arange(len(self.scores))[:, None] < self.frames[None, :]
        return float((self.scores.argmax(-1) != self.blank)[inside].float().mean())


class CtcCallSpy(TorchFunctionMode):
    """Hears every CTC loss."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[CtcCall] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__name__", "") == "ctc_loss":
            self.calls += _heard(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def _heard(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, *_: Any, **__: Any
) -> list[CtcCall]:
    if log_probs.dim() != 3:
        return []
    frames, lengths = (torch.as_tensor(one).reshape(-1).cpu().long() for one in (input_lengths, target_lengths))
    return [CtcCall(log_probs.detach().float().cpu(), targets.detach().cpu().long(), frames, lengths, blank)]


def state_of(first: CtcCall, now: CtcCall, floor: float, updates: int) -> CtcState:
    return CtcState(first.loss(), now.loss(), floor, now.spoken(), now.varies(), updates)
