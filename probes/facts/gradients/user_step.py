"""Calls the user's own training step on one batch up to its second update, and records what each call does."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Self

import torch
from torch.utils.hooks import RemovableHandle

from diagnose.engine import pass_counter
from diagnose.engine.seeding import seeded
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import failure_of
from probes.facts.core.hooks import ModuleHooks
from probes.facts.core.model_parts import restore_weights, trainable
from probes.facts.core.observer import held_by, restore_afterwards, restore_bindings
from probes.facts.core.snapshot import Snapshot
from probes.facts.core.step_setup import StepSetup
from probes.facts.gradients.types import BackwardCall, OptimizerCall, UserStep, UserStepCall

Step = Callable[[Any], Any]
MOST = 32  # micro-batches of one update; a step of more is taken for one that never updates


def take_own_steps(setup: StepSetup, step: Step, batch: Any, scheduler: Any) -> UserStep:
    """The weights are put back between the two calls; gradients and the optimiser's state are not.

    A step that accumulates is called until it updates: all these calls count as one.
    """
    calls: list[UserStepCall] = []
    model, optimizer, scaler = setup.model, setup.optimizer, setup.grad_scaler
    others = (*setup.also_restore, *held_by(step))
    with restore_bindings(step), restore_afterwards(model, optimizer, scheduler, scaler, others) as before:
        for number in (1, 2):
            paced = _steps_of(scheduler)
            with _StepRecorder(model, optimizer, scaler) as recorder:
                try:
                    for _ in range(MOST if number == 1 or calls[0].updates else 1):
                        with seeded("own_step"):
                            step(copy_batch(batch))
                        if not recorder.accumulates(before):
                            break
                except Exception as error:
                    phase = "training step" if number == 1 else "second call of the training step"
                    return UserStep(tuple(calls), failure_of(error, model, phase), number)
                finally:
                    pass_counter.count_passes(max(1, len(recorder.backwards)))
                calls.append(replace(recorder.closed(before), schedule_steps=_steps_of(scheduler) - paced))
            restore_weights(model, before)
    return UserStep(tuple(calls))


class _StepRecorder(ModuleHooks):
    """Records every backward pass and every update while it is open."""

    def __init__(self, model: torch.nn.Module, optimizer: Any, scaler: Any) -> None:
        super().__init__(model)
        self.scaler = scaler
        self.optimizer = getattr(optimizer, "optimizer", optimizer)
        self.backwards: list[BackwardCall] = []
        self.updates: list[OptimizerCall] = []
        self.in_step = False
        self.autocast = _autocast()
        self.scale = _scale(scaler)

    def __enter__(self) -> Self:
        self.usual = torch.autograd.backward
        torch.autograd.backward = self._backward
        return super().__enter__()

    def handles(self) -> Iterator[RemovableHandle]:
        yield self.optimizer.register_step_pre_hook(self._before_update)
        yield self.optimizer.register_step_post_hook(self._after_update)

    def __exit__(self, *error: Any) -> None:
        torch.autograd.backward = self.usual
        super().__exit__(*error)

    def _backward(self, *args: Any, **kwargs: Any) -> None:
        before, autocast = self._norm(), _autocast()
        self.usual(*args, **kwargs)
        self.backwards.append(BackwardCall(before, self._norm(), autocast, self.in_step))

    def _before_update(self, *_: Any) -> None:
        self.updates.append(OptimizerCall(self._norm(), len(self.backwards), _autocast()))
        self.in_step = True

    def _after_update(self, *_: Any) -> None:
        self.in_step = False
        self.updates[-1] = replace(self.updates[-1], after=self._norm())

    def accumulates(self, before: Snapshot) -> bool:
        """Whether all that was done is to add to gradients, which wait for an update."""
        done = self.updates or not self.backwards or _scale(self.scaler) < self.scale or not self._norm() > 0
        return not done and not self.closed(before).moved

    def closed(self, before: Snapshot) -> UserStepCall:
        named = trainable(self.model)
        moved = any(not torch.equal(weight.detach(), before.copy_of(weight)) for _, weight in named)
        rescaled = _scale(self.scaler) < self.scale
        left = _autocast() and not self.autocast
        return UserStepCall(tuple(self.backwards), tuple(self.updates), self._norm(), moved, self.scale, rescaled, left)

    def _norm(self) -> float:
        """Gradient norm of the parameters in the optimizer: it clears no others."""
        held = [weight for group in self.optimizer.param_groups for weight in group["params"]]
        gradients = [weight.grad for weight in held if weight.grad is not None]
        squares = [float(torch.linalg.vector_norm(one.to_dense().float())) ** 2 for one in gradients]
        return float(sum(squares)) ** 0.5


def _steps_of(scheduler: Any) -> int:
    """How often the schedule has been stepped."""
    return int(getattr(getattr(scheduler, "scheduler", scheduler), "last_epoch", None) or 0)


def _autocast() -> bool:
    return any(torch.is_autocast_enabled(device) for device in ("cpu", "cuda"))


def _scale(scaler: Any) -> float:
    return float(scaler.get_scale()) if scaler is not None and hasattr(scaler, "get_scale") else 1.0
