"""The first step, and what is read from it. Everything that looks at loss and gradients shares these few passes."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.types import FirstLoss
from probes.facts.first_step.types import FirstStep, GradientReach, Gradients
from probes.facts.hf_trainer.mutable_state import mutable_state_of

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def first_step(
    model: "Module",
    batch: Any,
    compute_loss: Any = None,
    labels_of: Any = None,
    optimizer: Any = None,
    trainer: Any = None,
) -> FirstStep:
    """One forward and backward pass of the first batch, and one update; then everything is as it was."""
    from probes.facts.core.model_output import NoLoss, labels_of_batch, labels_or_none, loss_of_output
    from probes.facts.first_step.first_step import take_first_step

    try:
        labels = _tensor(labels_or_none(labels_of or labels_of_batch, batch))
        return take_first_step(
            model, batch, compute_loss or loss_of_output, labels, optimizer, mutable_state_of(trainer)
        )
    except NoLoss as reason:
        raise NotApplicable(str(reason)) from reason


@provider
def first_loss(first_step: FirstStep) -> FirstLoss:
    if first_step.loss is None:
        raise Unavailable(str(first_step.failure))
    return first_step.loss


@provider
def first_gradients(first_step: FirstStep) -> Gradients:
    if first_step.gradients is None:
        raise Unavailable(str(first_step.failure))
    return first_step.gradients


@provider
def gradient_reach(
    model: "Module",
    batch: Any,
    first_gradients: Gradients,
    compute_loss: Any = None,
    trainer: Any = None,
    drawn_batches: Any = None,
) -> GradientReach:
    """Modules that the gradient does not reach, looked at twice."""
    from probes.facts.core.model_output import loss_of_output
    from probes.facts.first_step.gradient_reach import find_cuts

    more = list(drawn_batches or ())[1:3]
    return find_cuts(model, batch, compute_loss or loss_of_output, first_gradients, mutable_state_of(trainer), more)


def _tensor(labels: Any) -> Any:
    import torch

    return labels if isinstance(labels, torch.Tensor) else None
