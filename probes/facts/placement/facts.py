"""Where tensors are and of which type, and in which mode the model trains."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.placement.types import DtypeMismatch, EvalModeModule, MasterWeights, Placement, TrainingPass

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def placement(model: "Module", batch: Any = None, compute_loss: Any = None, trainer: Any = None) -> Placement:
    """Every tensor of the model and the first batch. A Trainer moves the batch, and so does our default loss."""
    from probes.facts.placement.devices_and_dtypes import placement_of

    return placement_of(model, batch, moved=trainer is not None or compute_loss is None)


@provider
def master_weights(model: "Module", optimizer: Any = None) -> MasterWeights:
    """What the optimiser keeps beside 16-bit weights."""
    from probes.facts.placement.devices_and_dtypes import masters_of

    return masters_of(optimizer, model)


@provider(may_be_empty=True)
def dtype_mismatches(model: "Module") -> tuple[DtypeMismatch, ...]:
    """Parameters that meet and are of different types."""
    from probes.facts.placement.devices_and_dtypes import mismatches_of

    return mismatches_of(model)


@provider(may_be_empty=True)
def eval_mode_modules(model: "Module", trainer: Any = None) -> tuple[EvalModeModule, ...]:
    """Parts in evaluation mode within a model that trains."""
    from probes.facts.placement.devices_and_dtypes import find_eval_mode_modules

    require(trainer is None, "a Trainer sets every module to train mode before each step")
    require(
        model.training, "the whole model is in eval mode, as from_pretrained returns it; the run has to change that"
    )
    return find_eval_mode_modules(model)


@provider
def training_pass(
    update_setup: StepSetup,
    batch: Any,
    compute_loss: Any = None,
    training_step: Any = None,
    scheduler: Any = None,
    trainer: Any = None,
) -> TrainingPass:
    """One pass, where frozen parts hold buffers or somebody's own code runs the model."""
    from probes.facts.core.model_output import NoLoss
    from probes.facts.placement.mode_trial import frozen_buffers, try_once, try_step

    own = _is_own(compute_loss, training_step, trainer)
    if not own and not any(True for _ in frozen_buffers(update_setup.model)):
        raise NotApplicable("no frozen module has a buffer, and the library's code runs the model")
    try:
        if training_step is not None and trainer is None:
            return try_step(update_setup, batch, training_step, scheduler)
        return try_once(update_setup, batch, trainer is not None, scheduler)
    except NoLoss:
        raise
    except Exception as error:
        raise Unavailable(f"a pass of the first batch raised {type(error).__name__}: {error}") from error


def _is_own(compute_loss: Any, training_step: Any, trainer: Any) -> bool:
    """Somebody's own code runs the model; a stock Trainer's puts it into training mode by itself."""
    if trainer is not None:
        return not type(trainer).compute_loss.__module__.startswith("transformers.")
    return training_step is not None or compute_loss is not None
