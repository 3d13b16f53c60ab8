"""The first step, and what is read from it. Everything that looks at loss and gradients shares these few passes."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import Unavailable
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import FirstLoss
from probes.facts.first_step.types import FirstStep, GradientReach, Gradients


@provider
def first_step(update_setup: StepSetup, batch: Any) -> FirstStep:
    """One forward and backward pass of the first batch, and one update; then everything is as it was."""
    from probes.facts.first_step.first_step import take_first_step

    return take_first_step(update_setup, batch)


@provider
def first_loss(first_step: FirstStep) -> FirstLoss:
    return require(first_step.loss, first_step.failure, Unavailable)


@provider
def first_gradients(first_step: FirstStep) -> Gradients:
    return require(first_step.gradients, first_step.failure, Unavailable)


@provider
def gradient_reach(
    step_setup: StepSetup, batch: Any, first_gradients: Gradients, drawn_batches: Any = None
) -> GradientReach:
    """Modules that the gradient does not reach, looked at twice."""
    from probes.facts.first_step.gradient_reach import find_cuts

    return find_cuts(step_setup, batch, first_gradients, list(drawn_batches or ())[1:3])
