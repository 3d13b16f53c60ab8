"""What the gradients do on their way, and what the user's own step does with them."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import FirstLoss
from probes.facts.first_step.types import Gradients
from probes.facts.gradients.types import LayerGradients, RepeatedStep, UserStep


@provider
def layer_gradients(first_gradients: Gradients) -> tuple[LayerGradients, ...]:
    """Layers in a row, with the size of each one's gradient."""
    from probes.facts.gradients.layer_gradients import layer_stacks

    found = tuple(layer_stacks(first_gradients))
    return require(found, "the model has no stack of numbered layers that all get a gradient")


@provider
def repeated_step(step_setup: StepSetup, batch: Any, first_loss: FirstLoss, first_gradients: Gradients) -> RepeatedStep:
    """The first step again from its own seed, and a third after it."""
    from probes.facts.gradients.repeated_step import RepeatSetup, repeat

    return repeat(RepeatSetup(**vars(step_setup), batch=batch), first_loss.value)


@provider
def user_step(
    update_setup: StepSetup,
    batch: Any,
    training_step: Any,
    optimizer: Any,
    first_gradients: Gradients,
    scheduler: Any = None,
) -> UserStep:
    """The user's own step, called twice on the first batch."""
    from probes.facts.gradients.user_step import take_own_steps

    inner = getattr(optimizer, "optimizer", optimizer)
    if not hasattr(inner, "register_step_pre_hook"):
        raise NotApplicable(f"{type(inner).__name__} is not a torch optimizer: its updates cannot be observed")
    return take_own_steps(update_setup, training_step, batch, scheduler)
