"""What changes while a run goes on: the encoder's thaw, the phase of CTC alone, saves that wait for their epoch."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from trainer.loop.hf_arguments import encoder_unfreezes_later

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState

    from trainer.models.bundle import ModelBundle

log = logging.getLogger(__name__)


def phase_callbacks(parts: ModelBundle) -> list[TrainerCallback]:
    """What changes in the course of the run that a configuration describes."""
    training = parts.config.training
    chosen: list[TrainerCallback] = [CTCPhaseCallback(training.ctc_only_steps)] if training.ctc_only_steps else []
    return (
        [*chosen, EncoderUnfreezeCallback(parts, training.freeze_encoder_epochs)]
        if encoder_unfreezes_later(parts.config)
        else chosen
    )


class StopAfterStepsCallback(TrainerCallback):
    """Ends the run after so many steps, wherever its schedule is then."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if state.global_step >= self.steps:
            control.should_training_stop = True


class EncoderUnfreezeCallback(TrainerCallback):
    """The encoder is frozen for the first epochs, and trains from then on."""

    def __init__(self, parts: ModelBundle, epochs: int) -> None:
        self.parts, self.epochs, self._told = parts, epochs, False

    def on_epoch_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        trains = int(state.epoch or 0) >= self.epochs
        self.parts.train_encoder(trains)
        if trains and not self._told:
            log.info("epoch %d: the encoder is unfrozen", int(state.epoch or 0))
            self._told = True


class CTCPhaseCallback(TrainerCallback):
    """The first steps train the encoder by CTC alone, so that the decoder has something to listen to."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_train_begin(
        self, args: Any, state: TrainerState, control: TrainerControl, model: Any = None, **_: Any
    ) -> None:
        """Before the batches of the next step are counted: what is to be scored depends on it."""
        alone = state.global_step < self.steps
        if model.ctc_only and not alone:
            log.info("step %d: the decoder trains from here on", state.global_step)
        model.ctc_only = alone

    on_step_end = on_train_begin


class SaveAfterEpochCallback(TrainerCallback):
    """A save on the last step of an epoch waits for the epoch's own evaluation, so that it holds that too."""

    def __init__(self) -> None:
        self._due = False

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        ends = state.epoch == int(state.epoch) or state.global_step >= state.max_steps
        if ends and control.should_save and args.eval_strategy == "epoch":
            control.should_save, self._due = False, True

    def on_epoch_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        control.should_save, self._due = control.should_save or self._due, False
