"""Updates from one batch after the other at any share of the optimizer's rates; the caller restores the model."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.finite import is_finite
from probes.facts.core.model_parts import trainable
from probes.facts.core.optimizers import set_rate
from probes.facts.core.step_setup import ComputeLoss

Around = Callable[[], AbstractContextManager[Any]]


class RateStepper:
    """One model, some batches, and an optimizer whose present rates are the unit of all others."""

    def __init__(
        self,
        model: torch.nn.Module,
        batches: Sequence[Any],
        compute_loss: ComputeLoss,
        optimizer: Any,
        clip: float | None = None,
        around: Around = nullcontext,
    ) -> None:
        self.model, self.batches, self.compute, self.optimizer = model, batches, compute_loss, optimizer
        self.clip, self.around = clip, around
        self.rates = [float(group["lr"]) for group in optimizer.param_groups]
        self.weights = [weight for _, weight in trainable(model)]
        self.start = [weight.detach().clone() for weight in self.weights]
        self.updates = self.total_updates = 0  # since the start; in all

    def update(self, share: float = 1.0) -> None:
        """One update from the next batch at this share of the rates."""
        batch = self.batches[self.updates % len(self.batches)]
        self.updates += 1
        self.total_updates += 1
        pass_counter.count_passes()
        self.model.zero_grad(set_to_none=True)
        with torch.enable_grad(), self.around():
            loss = self.compute(self.model, copy_batch(batch))
        loss.backward()
        if self.clip:
            _clip(self.weights, self.clip)
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            set_rate(group, rate * share)
        self.optimizer.step()

    def loss(self, batches: Sequence[Any]) -> float:
        """The mean over these batches, forward only, each time with the same draws of chance."""
        pass_counter.count_passes(pass_counter.FORWARD * len(batches))
        torch.manual_seed(0)
        with torch.no_grad(), self.around():
            return sum(float(self.compute(self.model, copy_batch(batch))) for batch in batches) / len(batches)

    def back(self) -> None:
        """The weights of the start; the optimiser has forgotten all."""
        with torch.no_grad():
            for weight, start in zip(self.weights, self.start, strict=True):
                weight.copy_(start)
        self.optimizer.state.clear()
        self.updates = 0

    def sound(self) -> bool:
        return all(is_finite(weight.detach()) for weight in self.weights)


def _clip(weights: Sequence[torch.nn.Parameter], max_norm: float) -> None:
    """As torch does it, which refuses sparse gradients: of these, the rows that are there, each of them once."""
    for weight in weights:
        if weight.grad is not None and weight.grad.is_sparse:
            weight.grad = weight.grad.coalesce()
    gradients = [weight.grad for weight in weights if weight.grad is not None]
    parts = [gradient.values() if gradient.is_sparse else gradient for gradient in gradients]
    scale = torch.clamp(max_norm / (torch.nn.utils.get_total_norm(parts) + 1e-6), max=1.0)
    for part in parts:
        part.mul_(scale.to(part.device))
