"""The steps that a transformers Trainer would take, by its own functions. Whoever calls them observes the Trainer."""

from collections.abc import Callable, Sequence
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable

AFTER = ("on_optimizer_step", "on_step_end")  # a callback's events between an update and the next batch
Steps = Callable[[Sequence[Any]], Any]


@provider
def training_step(trainer: Any, optimizer: Any) -> Callable[[Any], Any]:
    """One update from one batch: the Trainer's own loss, scaling, backward pass and clipping."""
    step = _update(trainer, optimizer)
    return lambda batch: step([batch])


@provider
def accumulated_step(trainer: Any, optimizer: Any) -> Steps:
    """One update from several batches, counted and scaled as the Trainer does it."""
    if trainer.args.gradient_accumulation_steps < 2:
        raise NotApplicable("gradient_accumulation_steps is 1: nothing is accumulated")
    return _update(trainer, optimizer)


def _update(trainer: Any, optimizer: Any) -> Steps:
    def update(batches: Sequence[Any]) -> Any:
        """As Trainer._run_epoch does it, without callbacks, logging and schedule."""
        model, accelerator = _outermost(trainer), trainer.accelerator
        taken, items = trainer.get_batch_samples(iter(batches), len(batches), trainer.args.device)
        trainer.current_gradient_accumulation_steps = len(taken)
        losses = []
        for number, inputs in enumerate(taken):
            accelerator.gradient_state._set_sync_gradients(number == len(taken) - 1)
            losses.append(trainer.training_step(model, inputs, items))
        if trainer.args.max_grad_norm:
            accelerator.clip_grad_norm_(model.parameters(), trainer.args.max_grad_norm)
        optimizer.step()
        model.zero_grad()
        if _a_callback_clears(trainer):
            optimizer.zero_grad()
        return sum(losses)

    return update


def _a_callback_clears(trainer: Any) -> bool:
    """Whether a callback clears gradients after the update, of parameters that a loss holds beside the model, say."""
    found = [getattr(one, event) for one in trainer.callback_handler.callbacks for event in AFTER]
    codes = [getattr(getattr(method, "__func__", method), "__code__", None) for method in found]
    return any("zero_grad" in code.co_names for code in codes if code is not None)


def _outermost(trainer: Any) -> Any:
    """The model, or the wrapper around it by which processes share gradients."""
    wrapper = trainer.model_wrapped
    return wrapper if getattr(wrapper, "module", None) is trainer.model else trainer.model
