"""The user's own step, called again and again on one batch: its losses, its gradients, and what it moves."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from diagnose.engine.seeding import seeded
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import failure_of
from probes.facts.core.finite import is_finite
from probes.facts.core.model_parts import as_in_training, trainable
from probes.facts.core.observer import held_by, restore_afterwards, restore_bindings
from probes.facts.core.snapshot import Snapshot
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import FirstLoss
from probes.facts.first_step.types import FirstStep, Gradients, ParameterGradient

Step = Callable[[Any], Any]


class OwnSteps:
    """Calls of the step. `losses`: what each call returns, or else what it called backward on."""

    def __init__(self, setup: StepSetup, step: Step, batch: Any, before: Snapshot) -> None:
        self.model, self.step, self.batch, self.before = setup.model, step, batch, before
        self.losses: list[float] = []
        self.rows: dict[str, ParameterGradient] = {}

    def call(self) -> None:
        """One call, with the same random numbers each time."""
        backwards: list[float] = []
        with seeded("own_step"), _spied(lambda loss: self._after_backward(loss, backwards)), torch.enable_grad():
            found = self.step(copy_batch(self.batch))
        pass_counter.count_passes(max(1, len(backwards)))
        self.losses.append(_number(found) if _number(found) is not None else sum(backwards))  # type: ignore[arg-type]

    def _after_backward(self, loss: float, backwards: list[float]) -> None:
        backwards.append(loss)
        for name, weight in trainable(self.model):
            now, known = gradient_of(name, weight), self.rows.get(name)
            if known is None or (now.norm or 0.0) > (known.norm or 0.0) or not now.finite:
                self.rows[name] = now

    def moved(self) -> list[str]:
        """The trainable parameters that are not what they were."""
        return [name for name, weight in trainable(self.model) if not torch.equal(weight, self.before.copy_of(weight))]

    def nonfinite(self) -> list[str]:
        """The trainable parameters that are not finite any more."""
        return [name for name, weight in trainable(self.model) if not is_finite(weight.detach())]


@contextmanager
def own_steps(setup: StepSetup, step: Step, batch: Any) -> Iterator[OwnSteps]:
    """Nothing of it stays: model, optimizers and whatever else the step holds."""
    others = (*setup.also_restore, *held_by(step))
    with restore_bindings(step), restore_afterwards(setup.model, setup.optimizer, None, setup.grad_scaler, others) as b:
        as_in_training(setup.model)
        yield OwnSteps(setup, step, batch, b)


def take_own_first_step(setup: StepSetup, step: Step, batch: Any) -> FirstStep:
    """One call, as a first step: the loss, and the gradients that its backward passes left."""
    with own_steps(setup, step, batch) as steps:
        try:
            steps.call()
        except Exception as error:
            return FirstStep(failure=failure_of(error, setup.model, "training step"))
        if not steps.rows:
            raise NotApplicable("training_step has no backward pass")
        rows = tuple(steps.rows.values())
        norm = math.sqrt(sum(row.norm**2 for row in rows if row.norm is not None))
        return FirstStep(loss=FirstLoss(steps.losses[0]), gradients=Gradients(rows, norm))


@contextmanager
def _spied(after: Callable[[float], None]) -> Iterator[None]:
    usual = torch.autograd.backward

    def backward(tensors: Any, *args: Any, **kwargs: Any) -> None:
        usual(tensors, *args, **kwargs)
        parts = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        after(sum(float(one.detach().sum()) for one in parts))

    torch.autograd.backward = backward
    try:
        yield
    finally:
        torch.autograd.backward = usual


def _number(found: Any) -> float | None:
    """One number, also where the step returns it first of several."""
    if isinstance(found, list | tuple) and found:
        found = found[0]
    if isinstance(found, dict):
        found = found.get("loss")
    one = isinstance(found, int | float) or (isinstance(found, torch.Tensor) and found.numel() == 1)
    return float(found) if one else None


def gradient_of(name: str, parameter: torch.nn.Parameter) -> ParameterGradient:
    """Norm in float32; for a norm of zero the largest element, since tiny squares underflow."""
    row = ParameterGradient(
        name, None, size=parameter.numel(), weight_norm=tensor_norm(parameter.detach()), dims=parameter.dim()
    )
    gradient = parameter.grad
    if gradient is None:
        return row
    gradient = gradient.coalesce().values() if gradient.is_sparse else gradient
    norm = tensor_norm(gradient)
    largest = float(torch.linalg.vector_norm(gradient.detach(), ord=float("inf"))) if gradient.numel() else 0.0
    return replace(row, norm=norm or largest, largest=largest, finite=is_finite(gradient))


def tensor_norm(tensor: torch.Tensor) -> float:
    return float(torch.linalg.vector_norm(tensor, dtype=torch.promote_types(tensor.dtype, torch.float32)))
