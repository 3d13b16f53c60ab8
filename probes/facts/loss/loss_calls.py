"""Records the loss functions called while a loss is computed: their logits, and whether shapes broadcast."""

from typing import Any

import torch

from probes.facts.core.hooks import FunctionSpy
from probes.facts.loss.types import LossCall

SCORES = ("cross_entropy", "cross_entropy_loss", "log_softmax", "binary_cross_entropy_with_logits")

# The functions that take scores, and the axis of the classes in them.
SCORED = {
    "cross_entropy": 1,
    "cross_entropy_loss": 1,
    "nll_loss": 1,
    "nll_loss_nd": 1,
    "ctc_loss": -1,
    "kl_div": -1,
    "log_softmax": -1,
    "binary_cross_entropy_with_logits": -1,
}
PAIRED = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
MINUS = ("sub", "__sub__", "__rsub__", "rsub", "subtract")


class LossCallSpy(FunctionSpy):
    """`calls` has one entry for each call of a loss function."""

    def __init__(self, labels: Any = None) -> None:
        super().__init__()
        self.calls: list[LossCall] = []
        self._ctc_losses: list[torch.Tensor] = []
        self._labels = labels if isinstance(labels, torch.Tensor) else None

    def after_call(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        if name in SCORED:
            self._scores(name, args, kwargs)
        if name == "ctc_loss" and result.requires_grad:
            self._ctc_losses.append(result)
        if name in PAIRED or name in MINUS:
            self._pair(name, args, kwargs)

    def ctc_slope(self, loss: torch.Tensor) -> float | None:
        """The gradient of the loss on its CTC losses, added up; None where it has none."""
        losses, self._ctc_losses = self._ctc_losses, []
        if not losses or not loss.requires_grad:
            return None
        slopes = torch.autograd.grad(loss, losses, retain_graph=True, allow_unused=True)
        return sum(float(slope.sum()) for slope in slopes if slope is not None) or None

    def _scores(self, name: str, args: Any, kwargs: Any) -> None:
        logits = args[0] if args else kwargs.get("input", kwargs.get("log_probs"))
        if not isinstance(logits, torch.Tensor) or not logits.is_floating_point() or not logits.dim():
            return
        axis = kwargs.get("dim", args[1] if len(args) > 1 else -1) if name == "log_softmax" else SCORED[name]
        axis = 0 if logits.dim() == 1 else axis
        scores = logits.detach().float()
        axes = range(logits.dim()) if name == "kl_div" else (axis,)
        found = [describe_scores(name, scores.movedim(one, -1)) for one in axes if isinstance(one, int)]
        self.calls += [min(found, key=lambda one: one.log_sum_error)] if found else []

    def _pair(self, name: str, args: Any, kwargs: Any) -> None:
        """Records shapes that both broadcast, as (N, 1) minus (N,), and outputs that are compared with the labels."""
        one, other = (*args, *kwargs.values(), None, None)[:2]
        if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
            return
        spread = torch.broadcast_shapes(one.shape, other.shape)
        size = spread.numel()
        outer = size > max(one.numel(), other.numel())
        if outer and (name in PAIRED or (one.dim() != other.dim() and (self._is_label(one) or self._is_label(other)))):
            self.calls.append(LossCall(name, shapes=(tuple(one.shape), tuple(other.shape)), spread=tuple(spread)))
        elif one.shape == other.shape and one.is_floating_point() and self._is_label(other):
            ends, width = torch.aminmax(one.detach()), one.shape[-1] if one.dim() > 1 else 1
            found = LossCall(name, width, float(ends.min), float(ends.max), shapes=(tuple(one.shape),), regresses=True)
            self.calls.append(found)

    def _is_label(self, value: torch.Tensor) -> bool:
        labels = self._labels
        if labels is None or labels.numel() != value.numel():
            return False
        return torch.equal(labels.reshape(-1).double().cpu(), value.detach().reshape(-1).double().cpu())


def describe_scores(name: str, scores: torch.Tensor) -> LossCall:
    """One call in numbers; classes are the last axis."""
    if not scores.numel():
        return LossCall(name)
    return LossCall(
        name,
        classes=scores.shape[-1],
        lowest=float(scores.min()),
        highest=float(scores.max()),
        sum_error=float((scores.sum(-1) - 1).abs().max()),
        log_sum_error=float(torch.logsumexp(scores, -1).abs().max()),
        shapes=(tuple(scores.shape),),
    )
