"""Checkpoints of the run: saved atomically, resumed from exactly."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import EarlyStoppingCallback
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_callback import ExportableState

from trainer.loop.checkpoints.loop_state import FORMAT, LOOP_STATE, loop_state_of
from trainer.loop.checkpoints.state_files import explain_unreadable
from trainer.loop.checkpoints.state_files_mixin import StateFilesMixin
from trainer.loop.checkpoints.store import commit_checkpoint, name_of, rotate, verify

if TYPE_CHECKING:
    from torch import nn

log = logging.getLogger(__name__)


class CheckpointMixin(StateFilesMixin):
    """Commits checkpoints atomically and resumes from them exactly."""

    _loop_state_to_restore: dict[str, Any] | None = None

    @property
    def run(self) -> Path:
        """The directory of the run."""
        return Path(str(self.args.output_dir))

    @property
    def stopped_early(self) -> bool:
        """Whether early stopping has ended the run."""
        stoppers = [one for one in self.callback_handler.callbacks if isinstance(one, EarlyStoppingCallback)]
        return any(one.early_stopping_patience_counter >= one.early_stopping_patience for one in stoppers)

    def batch_order_inputs(self) -> dict[str, int]:
        """The numbers that the order of batches depends on, besides the configuration."""
        return {"rows": len(self.train_dataset), "processes": self.args.world_size}

    def needed_bytes(self) -> int:
        """The size of a checkpoint on disk, of its tensors alone."""
        weights = {value.data_ptr(): value.nbytes for value in self.model.state_dict().values()}
        states = self.optimizer.state.values() if self.optimizer is not None else ()
        moments = [value.nbytes for state in states for value in state.values() if hasattr(value, "nbytes")]
        return sum(weights.values()) + sum(moments)

    def _save_checkpoint(self, model: nn.Module, trial: Any = None) -> None:
        final = self.run / name_of(self.state.global_step)
        best = self.run / name_of(self.state.best_global_step or -1)
        if best == final or best.is_dir():
            self.state.best_model_checkpoint = str(best)
        is_main = self.args.should_save
        with commit_checkpoint(final, self.needed_bytes(), is_main, self.accelerator.wait_for_everyone) as staged:
            self._save_rng_state(str(staged))
            self._save_optimizer_and_scheduler(str(staged))
            self._save_scaler(str(staged))
            if is_main:
                self._save(str(staged))
                self._save_states(staged)
        if is_main:
            rotate(self.run, self.config.training.save_total_limit, [final, best])

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """Weights as safetensors, and their processors; the stock Trainer would add a pickle of its arguments."""
        self.bundle.save(output_dir or self.run)

    def _save_states(self, staged: Path) -> None:
        states: Any = self.state.stateful_callbacks  # by class name, on disk too
        for one in [*self.callback_handler.callbacks, self.control]:
            if isinstance(one, ExportableState):
                states[type(one).__name__] = one.state()
        self.state.save_to_json(str(staged / TRAINER_STATE_NAME))
        (staged / LOOP_STATE).write_text(json.dumps(self._loop_state(), indent=1), encoding="utf-8")

    def _loop_state(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "loss_since_log": float(self._tr_loss),
            "loss_in_all": self._total_loss_scalar,
            "last_logged": self._globalstep_last_logged,
            "circumstances": self.batch_order_inputs(),
            "book": self.loss_tracker.state(),
        }

    def _init_training_state(
        self,
        max_steps: int,
        num_update_steps_per_epoch: int,
        num_train_epochs: int,
        resume_from_checkpoint: str | None,
        trial: Any,
    ) -> tuple[int, int]:
        """Restores the callbacks' states, and the best checkpoint's path if the run was moved."""
        position = super()._init_training_state(
            max_steps, num_update_steps_per_epoch, num_train_epochs, resume_from_checkpoint, trial
        )
        if resume_from_checkpoint is None:
            return position
        with explain_unreadable(Path(resume_from_checkpoint) / TRAINER_STATE_NAME):
            self._restore_callbacks(Path(resume_from_checkpoint))
        self._loop_state_to_restore = loop_state_of(Path(resume_from_checkpoint))
        return position

    def _restore_callbacks(self, checkpoint: Path) -> None:
        beside = checkpoint.parent / name_of(self.state.best_global_step or -1)
        self.state.best_model_checkpoint = str(beside) if beside.is_dir() else None
        states: Any = self.state.stateful_callbacks
        for one in self.callback_handler.callbacks:
            saved = states.get(type(one).__name__)
            if saved and isinstance(one, ExportableState):
                for name in one.state()["attributes"]:
                    setattr(one, name, saved["attributes"][name])

    def restore_loop_state(self) -> None:
        """Restore the loss sums once, after the Trainer has cleared them."""
        state, self._loop_state_to_restore = self._loop_state_to_restore, None
        if state is None:
            return
        with explain_unreadable(Path(LOOP_STATE)):
            self._tr_loss += state["loss_since_log"]
            self._total_loss_scalar = state["loss_in_all"]
            self._globalstep_last_logged = state["last_logged"]
            self.loss_tracker.restore(state["book"], self.args.device)

    def _determine_best_metric(self, metrics: dict[str, float], trial: Any) -> bool:
        """Saves a new best at once, whether or not a save is due."""
        better = super()._determine_best_metric(metrics, trial)
        if better and self.args.load_best_model_at_end:
            self.control.should_save = True
        return better

    def _load_best_model(self) -> None:
        reason = verify(Path(str(self.state.best_model_checkpoint)))
        if reason:
            log.warning("skipping %s: %s; the current weights are kept", self.state.best_model_checkpoint, reason)
        else:
            super()._load_best_model()
