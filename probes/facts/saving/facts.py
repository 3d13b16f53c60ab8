"""The model saved as the run saves it, and read again."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import Unavailable
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.first_step.types import FirstStep
from probes.facts.saving.types import SavedModel


@provider
def saved_model(step_setup: StepSetup, batch: Any, first_step: FirstStep, trainer: Any = None) -> SavedModel:
    """Saved at step 0, read again, and asked for the loss of the first batch in evaluation mode."""
    from probes.facts.core.observer import restore_afterwards, restore_entries
    from probes.facts.saving.reload_in_place import save_state_dict, save_with_trainer
    from probes.facts.saving.save_and_reload import is_hf, loss_in_evaluation, save_and_read

    require(first_step.failure is None, first_step.failure, Unavailable)
    model, loss = step_setup.model, loss_in_evaluation(step_setup.compute_loss, batch)
    seconds = first_step.forward_seconds + first_step.backward_seconds
    kept = [] if trainer is None else [vars(trainer)]
    with restore_afterwards(others=step_setup.also_restore), restore_entries(*kept):
        if is_hf(model):
            return save_and_read(model, loss, seconds, trainer)
        return save_state_dict(model, loss) if trainer is None else save_with_trainer(trainer, loss, seconds)
