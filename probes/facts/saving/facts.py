"""The model saved as the run saves it, and read again."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.first_step.types import FirstStep
from probes.facts.hf_trainer.mutable_state import mutable_state_of
from probes.facts.labels.types import EvalForward
from probes.facts.saving.types import SavedModel

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def saved_model(
    model: "Module",
    batch: Any,
    first_step: FirstStep,
    eval_forward: EvalForward | None = None,
    compute_loss: Any = None,
    trainer: Any = None,
) -> SavedModel:
    """Saved at step 0, read again, and asked for the loss of the first batch in evaluation mode."""
    from probes.facts.core.model_output import loss_of_output
    from probes.facts.core.observer import restore_afterwards
    from probes.facts.saving.save_and_reload import (
        SaveNotTried,
        is_theirs,
        loss_in_evaluation,
        save_and_read,
        write_and_read,
    )

    if first_step.failure is not None:
        raise Unavailable(str(first_step.failure))
    loss = loss_in_evaluation(compute_loss or loss_of_output, batch)
    before = eval_forward.loss if eval_forward else None
    seconds = first_step.forward_seconds + first_step.backward_seconds
    try:
        with restore_afterwards(others=mutable_state_of(trainer)):
            return (
                save_and_read(model, loss, before, seconds) if is_theirs(model) else write_and_read(model, loss, before)
            )
    except SaveNotTried as reason:
        raise NotApplicable(str(reason)) from reason
