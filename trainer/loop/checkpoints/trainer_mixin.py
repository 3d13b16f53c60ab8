"""What a checkpoint holds beside the weights, and how a run takes it up again to the last bit."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import EarlyStoppingCallback
from transformers.trainer import TRAINER_STATE_NAME
from transformers.trainer_callback import ExportableState

from diagnose.common.errors import InputError
from trainer.loop.checkpoints.loop_state import FORMAT, LOOP_STATE, loop_state_of
from trainer.loop.checkpoints.store import commit_checkpoint, name_of, rotate, verify

if TYPE_CHECKING:
    from torch import nn

    from trainer.config import Config
    from trainer.models.bundle import ModelBundle

log = logging.getLogger(__name__)


class CheckpointMixin:
    """For a transformers Trainer that has `parts` and a `book`: committed checkpoints, exact resume."""

    parts: ModelBundle
    config: Config
    _taken_up: dict[str, Any] | None = None

    @property
    def run(self) -> Path:
        """The directory of the run."""
        return Path(self.args.output_dir)

    @property
    def stopped_early(self) -> bool:
        """Whether the metric has not become better for as long as the configuration allows."""
        stoppers = [one for one in self.callback_handler.callbacks if isinstance(one, EarlyStoppingCallback)]
        return any(one.early_stopping_patience_counter >= one.early_stopping_patience for one in stoppers)

    def circumstances(self) -> dict[str, int]:
        """What the order of the batches depends on, beside the configuration."""
        return {"rows": len(self.train_dataset), "processes": self.args.world_size}

    def needed_bytes(self) -> int:
        """What a checkpoint takes on the disk, as far as it is counted in tensors."""
        weights = {value.data_ptr(): value.nbytes for value in self.model.state_dict().values()}
        states = self.optimizer.state.values() if self.optimizer is not None else ()
        moments = [value.nbytes for state in states for value in state.values() if hasattr(value, "nbytes")]
        return sum(weights.values()) + sum(moments)

    def _save_checkpoint(self, model: nn.Module, trial: Any = None) -> None:
        final = self.run / name_of(self.state.global_step)
        best = self.run / name_of(self.state.best_global_step or -1)
        if best == final or best.is_dir():
            self.state.best_model_checkpoint = str(best)
        leads = self.args.should_save
        with commit_checkpoint(final, self.needed_bytes(), leads, self.accelerator.wait_for_everyone) as staged:
            self._save_rng_state(str(staged))
            self._save_optimizer_and_scheduler(str(staged))
            self._save_scaler(str(staged))
            if leads:
                self._save(str(staged))
                self._save_states(staged)
        if leads:
            rotate(self.run, self.config.training.save_total_limit, [final, best])

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """Weights as safetensors, and what reads them; the stock Trainer would add a pickle of its arguments."""
        self.parts.save(output_dir or self.run)

    def _save_states(self, staged: Path) -> None:
        for one in [*self.callback_handler.callbacks, self.control]:
            if isinstance(one, ExportableState):
                self.state.stateful_callbacks[type(one).__name__] = one.state()
        self.state.save_to_json(str(staged / TRAINER_STATE_NAME))
        (staged / LOOP_STATE).write_text(json.dumps(self._loop_state(), indent=1), encoding="utf-8")

    def _loop_state(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "loss_since_log": float(self._tr_loss),
            "loss_in_all": self._total_loss_scalar,
            "last_logged": self._globalstep_last_logged,
            "circumstances": self.circumstances(),
            "book": self.book.state(),
        }

    def _init_training_state(self, *args: Any) -> tuple[int, int]:
        """Callbacks go on where they were; the best checkpoint is looked for where the run now lies."""
        *_, checkpoint, _ = args
        place = super()._init_training_state(*args)
        if checkpoint is None:
            return place
        beside = Path(checkpoint).parent / name_of(self.state.best_global_step or -1)
        self.state.best_model_checkpoint = str(beside) if beside.is_dir() else None
        for one in self.callback_handler.callbacks:
            kept = self.state.stateful_callbacks.get(type(one).__name__) if isinstance(one, ExportableState) else None
            for name in one.state()["attributes"] if kept else ():
                setattr(one, name, kept["attributes"][name])
        self._taken_up = loop_state_of(Path(checkpoint))
        return place

    def take_up_loop_state(self) -> None:
        """Once, after the Trainer has cleared its sums: the next log line covers the steps before the kill too."""
        state, self._taken_up = self._taken_up, None
        if state is None:
            return
        self._tr_loss += state["loss_since_log"]
        self._total_loss_scalar = state["loss_in_all"]
        self._globalstep_last_logged = state["last_logged"]
        self.book.restore(state["book"], self.args.device)

    def _determine_best_metric(self, metrics: dict[str, float], trial: Any) -> bool:
        """A new best is saved at once, whether or not a save was due."""
        better = super()._determine_best_metric(metrics, trial)
        if better and self.args.load_best_model_at_end:
            self.control.should_save = True
        return better

    def _load_best_model(self) -> None:
        reason = verify(Path(self.state.best_model_checkpoint))
        if reason:
            log.warning("%s is passed over: %s; the last weights stay", self.state.best_model_checkpoint, reason)
        else:
            super()._load_best_model()

    def _issue_warnings_after_load(self, load_result: Any) -> None:
        """Weights that do not fit are no weights; a tied one is in the file under its other name."""
        named = dict(self.model.named_parameters(remove_duplicate=False))
        loaded = {id(value) for name, value in named.items() if name not in load_result.missing_keys}
        missing = [name for name in load_result.missing_keys if id(named.get(name)) not in loaded]
        if missing or load_result.unexpected_keys:
            strange = load_result.unexpected_keys
            raise InputError(
                f"the weights in the checkpoint are of another model ({len(missing)} of ours are not in it, "
                f"{len(strange)} in it are not ours, {[*missing, *strange][0]} among them); "
                "resume with the configuration of its run"
            )
