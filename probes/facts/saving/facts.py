"""The model saved as the run saves it, and read again."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import Unavailable
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.first_step.types import FirstStep
from probes.facts.labels.types import EvalForward
from probes.facts.saving.types import SavedModel


@provider
def saved_model(
    step_setup: StepSetup, batch: Any, first_step: FirstStep, eval_forward: EvalForward | None = None
) -> SavedModel:
    """Saved at step 0, read again, and asked for the loss of the first batch in evaluation mode."""
    from probes.facts.core.observer import restore_afterwards
    from probes.facts.saving.save_and_reload import is_hf, loss_in_evaluation, save_and_read, write_and_read

    require(first_step.failure is None, first_step.failure, Unavailable)
    model, loss = step_setup.model, loss_in_evaluation(step_setup.compute_loss, batch)
    before = eval_forward.loss if eval_forward else None
    seconds = first_step.forward_seconds + first_step.backward_seconds
    with restore_afterwards(others=step_setup.also_restore):
        return save_and_read(model, loss, before, seconds) if is_hf(model) else write_and_read(model, loss, before)
