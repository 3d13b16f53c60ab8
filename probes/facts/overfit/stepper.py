"""Updates on a few rows with an AdamW of our own; the caller restores the model."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.seeding import seeded
from probes.facts.core.batches import copy_batch
from probes.facts.core.model_parts import trainable
from probes.facts.core.optimizers import adamw, peak_rate
from probes.facts.core.step_setup import StepSetup
from probes.facts.generation.run_generation import Generate
from probes.facts.overfit.row_selection import OverfitBatch

HIGHEST = 0.01  # where the width does not say
TURN = 0.2  # by how much an update may turn a unit that reads values of size one: AdamW moves each weight by its rate


@dataclass(frozen=True)
class RateGroup:
    """Parameters that learn at one rate, as a share of the highest."""

    weights: tuple[torch.nn.Parameter, ...]
    share: float = 1.0


@dataclass(frozen=True, kw_only=True)
class OverfitSetup(StepSetup):
    """What is to learn."""

    selection: OverfitBatch
    groups: Sequence[RateGroup]
    reads_labels: bool = False
    generate: Generate | None = None
    decode: Callable[[Any], list[str]] | None = None


def groups_of(model: torch.nn.Module, optimizer: Any = None) -> tuple[RateGroup, ...]:
    """What trains and the optimiser holds, at the relative rates of its groups; without one, all that trains."""
    own = {id(weight): weight for _, weight in trainable(model)}
    if optimizer is None:
        return (RateGroup(tuple(own.values())),) if own else ()
    tops = [1.0 if rate is None else rate for rate in map(peak_rate, optimizer.param_groups)]
    highest = max(tops, default=0.0)
    groups = []
    for group, top in zip(optimizer.param_groups, tops, strict=True):
        held = tuple(own.pop(id(weight)) for weight in group["params"] if id(weight) in own)
        if held:
            groups.append(RateGroup(held, top / highest if highest > 0 else 1.0))
    return tuple(groups)


def first_rate(groups: Sequence[RateGroup]) -> float:
    """A rate by the width of what trains: a unit's output moves by the rate times its inputs."""
    sizes = sorted(
        (weight.numel() // len(weight), weight.numel()) for g in groups for weight in g.weights if weight.dim() > 1
    )
    half, passed = sum(size for _, size in sizes) / 2, 0
    for width, size in sizes:
        passed += size
        if passed >= half:
            return min(TURN / width, HIGHEST)
    return HIGHEST


class Stepper:
    """One model, a few batches that make one update together, and AdamW without decay over the groups.

    Every pass draws the same random numbers, so that a loss that is random by design (masks, noise, samples) is one
    function of the weights and can be learnt by heart; `draw` chooses others, None leaves them to chance.
    """

    def __init__(self, setup: OverfitSetup) -> None:
        self.model, self.batches, self.compute = setup.model, setup.selection.batches, setup.compute_loss
        self.weights = [weight for group in setup.groups for weight in group.weights]
        self._shares = [group.share for group in setup.groups]
        settings = [{"params": list(group.weights), "lr": 0.0} for group in setup.groups]
        self._optimizer = adamw(settings, betas=(0.8, 0.9)) if settings else None
        self.saved: list[torch.Tensor] = []
        self.draw: int | None = 0

    def loss(self, batches: Sequence[Any] | None = None) -> float:
        """Forward only, the mean over the batches."""
        batches = batches or self.batches
        with torch.no_grad():
            pass_counter.count_passes(pass_counter.FORWARD * len(batches))
            return sum(float(self._loss(batch)) for batch in batches) / len(batches)

    def _loss(self, batch: Any) -> Any:
        with self._draws():
            return self.compute(self.model, copy_batch(batch))

    def _draws(self) -> AbstractContextManager[None]:
        return nullcontext() if self.draw is None else seeded(f"overfit, draw {self.draw}")

    def gradient(self, after: Callable[[], None] = lambda: None) -> float:
        """Forward and backward, the mean over the batches; `after` is called after each."""
        for weight in self.model.parameters():
            weight.grad = None
        total = 0.0
        with torch.enable_grad():
            for batch in self.batches:
                pass_counter.count_passes()
                loss = self._loss(batch) / len(self.batches)
                total += float(loss.detach())
                if loss.requires_grad:
                    loss.backward()
                after()
        return total

    def move(self, rate: float) -> None:
        """One update with the gradients there are."""
        if self._optimizer is None:
            return
        for group, share in zip(self._optimizer.param_groups, self._shares, strict=True):
            group["lr"] = rate * share
        self._optimizer.step()

    def update(self, rate: float, after: Callable[[], None] = lambda: None) -> float:
        """One update; the loss before it."""
        loss = self.gradient(after)
        self.move(rate)
        return loss

    def save(self) -> None:
        """Remembers the weights as they are now."""
        self.saved = [weight.detach().clone() for weight in self.weights]

    def back(self) -> None:
        """The weights as they were saved; what the optimiser has gathered since is forgotten."""
        with torch.no_grad():
            for weight, saved in zip(self.weights, self.saved, strict=True):
                weight.copy_(saved)
        if self._optimizer is not None:
            self._optimizer.state.clear()
