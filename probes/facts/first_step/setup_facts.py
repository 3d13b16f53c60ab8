"""The user's own objects that compute a loss and take a step, gathered once for all that measure them."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from probes.facts.core.step_setup import LabelsOf, StepSetup, labels_of_batch

if TYPE_CHECKING:
    from torch.nn import Module


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
