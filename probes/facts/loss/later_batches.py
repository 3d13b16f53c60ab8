"""Runs batches that stand out among many: the first batch is no proof for the others."""

from collections.abc import Callable, Sequence
from typing import Any

from diagnose.engine import pass_counter
from diagnose.engine.context import NotApplicable
from probes.facts.batches.types import PickedBatch
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import failure_of
from probes.facts.core.finite import is_finite
from probes.facts.core.model_parts import as_in_training, trainable
from probes.facts.core.observer import held_by, restore_afterwards, restore_bindings
from probes.facts.core.step_setup import StepSetup
from probes.facts.loss.extreme_batches import ExtremeBatch, run_extremes
from probes.facts.loss.later_types import LaterBatch
from probes.facts.loss.types import ExtremeBatchResult

Step = Callable[[Any], Any]


def run_later(setup: StepSetup, picked: Sequence[PickedBatch], usual: Any) -> tuple[LaterBatch, ...]:
    """Forward and backward of each in training mode."""
    results = run_extremes(setup, [ExtremeBatch(one.name, one.items, one.batch) for one in picked], usual).batches
    return tuple(LaterBatch(result, one.why, one.bad) for one, result in zip(picked, results, strict=True))


def run_by_step(
    setup: StepSetup, picked: Sequence[PickedBatch], usual: Any, step: Step, scheduler: Any
) -> tuple[LaterBatch, ...]:
    """The user's own step on each, from the same weights: its loss, and the weights that are not finite after it."""
    if picked and _step(setup, PickedBatch("the first batch", "", usual), step, scheduler).fails:
        raise NotApplicable("the step fails on the first batch too")
    return tuple(LaterBatch(_step(setup, one, step, scheduler), one.why, one.bad) for one in picked)


def _step(setup: StepSetup, one: PickedBatch, step: Step, scheduler: Any) -> ExtremeBatchResult:
    model, rows = setup.model, tuple(f"train_dataset[{number}]" for number in one.items)
    pass_counter.count_passes()
    others = (*setup.also_restore, *held_by(step))
    with restore_bindings(step), restore_afterwards(model, setup.optimizer, scheduler, setup.grad_scaler, others):
        as_in_training(model)
        try:
            step(copy_batch(one.batch))
        except Exception as error:
            return ExtremeBatchResult(one.name, rows, (), failure=failure_of(error, model, "training step"))
        bad = tuple(name for name, weight in trainable(model) if not is_finite(weight.detach()))
        return ExtremeBatchResult(one.name, rows, (), loss=0.0, bad_gradients=bad, weights=True)
