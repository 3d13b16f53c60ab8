"""The first step, and what is read from it. Everything that looks at loss and gradients shares these few passes."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import Unavailable
from probes.facts.core.require import require
from probes.facts.core.step_setup import LabelsOf, StepSetup, labels_of_batch
from probes.facts.core.types import FirstLoss
from probes.facts.first_step.types import FirstStep, GradientReach, Gradients, RunDuration

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def first_step(update_setup: StepSetup, batch: Any, training_step: Any = None) -> FirstStep:
    """One forward and backward pass of the first batch, and one update; then everything is as it was.

    Where nobody says how a loss is computed, the user's own step makes them.
    """
    from probes.facts.core.model_output import NoLoss
    from probes.facts.first_step.first_step import take_first_step
    from probes.facts.first_step.own_step import take_own_first_step

    try:
        return take_first_step(update_setup, batch)
    except NoLoss:
        if training_step is None:
            raise
    return take_own_first_step(update_setup, training_step, batch)


@provider(evidence=("a forward pass",))
def first_loss(first_step: FirstStep) -> FirstLoss:
    return require(first_step.loss, first_step.failure, Unavailable)


@provider(evidence=("a backward pass",))
def first_gradients(first_step: FirstStep) -> Gradients:
    return require(first_step.gradients, first_step.failure, Unavailable)


@provider
def gradient_reach(
    step_setup: StepSetup, batch: Any, first_gradients: Gradients, drawn_batches: Any = None
) -> GradientReach:
    """Modules that the gradient does not reach, looked at twice."""
    from probes.facts.first_step.gradient_reach import find_cuts

    return find_cuts(step_setup, batch, first_gradients, list(drawn_batches or ())[1:3])


@provider(reported=True)
def run_duration(
    update_setup: StepSetup,
    first_step: FirstStep,
    drawn_batches: Any,
    update_count: Any,
    run_settings: Any = None,
) -> RunDuration:
    """How long the run will take without loading and evaluations, from three steps."""
    from probes.facts.first_step.run_duration import measure_duration

    require(first_step.failure is None and first_step.gradients, "the first step fails", Unavailable)
    accumulation = (run_settings.accumulation if run_settings else None) or 1
    return measure_duration(update_setup, first_step, list(drawn_batches)[1:3], update_count.updates, accumulation)


@provider(priority=2)
def labels_of() -> LabelsOf:
    """The default, where neither the user nor the run's own trainer gives one."""
    return labels_of_batch


@provider
def step_setup(
    model: "Module",
    labels_of: LabelsOf,
    compute_loss: Any = None,
    inputs_of: Any = None,
    grad_scaler: Any = None,
    trainer: Any = None,
) -> StepSetup:
    """What computes the loss; a Trainer's loss may count and log, so its state is restored too."""
    from probes.facts.core.model_output import loss_of_output

    state = () if trainer is None else (trainer, trainer.state, trainer.control, trainer.accelerator.gradient_state)
    return StepSetup(model, compute_loss or loss_of_output, None, labels_of, inputs_of, grad_scaler, state)


@provider
def update_setup(step_setup: StepSetup, optimizer: Any = None) -> StepSetup:
    """The same with the optimizer: one that cannot be built blocks only what takes an update."""
    return replace(step_setup, optimizer=optimizer)
