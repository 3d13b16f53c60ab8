"""Callbacks for phases of a run: encoder unfreezing, CTC alone, saves after the epoch's evaluation."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from trainer.loop.hf_arguments import encoder_unfreezes_later

if TYPE_CHECKING:
    from transformers import TrainerControl, TrainerState

    from trainer.models.bundle import ModelBundle

log = logging.getLogger(__name__)


def phase_callbacks(bundle: ModelBundle) -> list[TrainerCallback]:
    """The phase callbacks of a configuration."""
    training = bundle.config.training
    chosen: list[TrainerCallback] = [CTCPhaseCallback(training.ctc_only_steps)] if training.ctc_only_steps else []
    if encoder_unfreezes_later(bundle.config):
        chosen.append(EncoderUnfreezeCallback(bundle, training.freeze_encoder_epochs or 0))
    return chosen


class StopAfterStepsCallback(TrainerCallback):
    """Stops the run after so many steps; the schedule is not changed."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        if state.global_step >= self.steps:
            control.should_training_stop = True


class EncoderUnfreezeCallback(TrainerCallback):
    """Unfreezes the encoder after the first epochs."""

    def __init__(self, bundle: ModelBundle, epochs: int) -> None:
        self.bundle, self.epochs, self._logged = bundle, epochs, False

    def on_epoch_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        trains = int(state.epoch or 0) >= self.epochs
        self.bundle.train_encoder(trains)
        if trains and not self._logged:
            log.info("epoch %d: the encoder is unfrozen", int(state.epoch or 0))
            self._logged = True


class CTCPhaseCallback(TrainerCallback):
    """Trains the encoder by CTC alone for the first steps."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def on_train_begin(
        self, args: Any, state: TrainerState, control: TrainerControl, model: Any = None, **_: Any
    ) -> None:
        """Set before the targets of the next step are counted, which depend on it."""
        ctc_only = state.global_step < self.steps
        if model.ctc_only and not ctc_only:
            log.info("step %d: the decoder is trained from here on", state.global_step)
        model.ctc_only = ctc_only

    on_step_end = on_train_begin


class SaveAfterEpochCallback(TrainerCallback):
    """Delays a save on the last step of an epoch until the epoch's evaluation, so that it holds that too."""

    def __init__(self) -> None:
        self._save_due = False

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        ends = state.epoch == int(state.epoch) or state.global_step >= state.max_steps
        if ends and control.should_save and args.eval_strategy == "epoch":
            control.should_save, self._save_due = False, True

    def on_epoch_end(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        control.should_save, self._save_due = control.should_save or self._save_due, False
