"""Hooks of the guard in the training loop: at the start of a step, before its update, before a save."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, cast

from transformers import TrainerCallback

from trainer.loop.guard.step_monitor import StepMonitor
from trainer.loop.guard.weight_norm import weight_stats
from trainer.loop.trainer_host import TrainerHost

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from trainer.loop.guard.protocol import GuardProtocol
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import Batch

log = logging.getLogger(__name__)

ANOMALY = "returned nan values"  # in the message of torch's anomaly detection
TIMES = ("runtime", "per_second", "compilation_time", "epoch")


class GuardMixin(TrainerHost):
    """Lets a guard judge every step; does nothing without one."""

    step_monitor: StepMonitor | None = None

    def set_guard(self, guard: GuardProtocol, lag: int | None = None) -> None:
        """Judge every step from now on; `lag` is how many steps later its flag is read, by default what suits."""
        self.step_monitor = StepMonitor(cast("RunTrainer", self), guard, lag)
        if hasattr(self.train_dataset, "allow_nonfinite"):
            self.train_dataset.allow_nonfinite = True
        self.add_callback(GuardEpochCallback(self.step_monitor))

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: torch.device) -> tuple[list[Batch], Any]:
        if self.step_monitor is None:
            return super().get_batch_samples(epoch_iterator, num_batches, device)
        started, totals_before = time.perf_counter(), self.step_monitor.loss_totals()
        batches, totals = super().get_batch_samples(epoch_iterator, num_batches, device)
        self.step_monitor.start_step(batches, totals, totals_before, started)
        return batches, totals

    def training_step(self, model: nn.Module, inputs: dict[str, Any], num_items_in_batch: Any = None) -> Tensor:
        if self.step_monitor is None:
            return super().training_step(model, inputs, num_items_in_batch)
        self.step_monitor.start_micro_batch()
        try:
            loss = super().training_step(model, inputs, num_items_in_batch)
        except RuntimeError as error:
            if ANOMALY in str(error) and self.args.world_size == 1:
                log.info("step %d: %s", self.state.global_step + 1, error)
                self.step_monitor.judge_anomaly(self._micro_loss)
            raise
        self.step_monitor.snapshot.losses.append(loss)
        return loss

    def compute_loss(
        self, model: nn.Module, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        loss: Any = super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        if self.step_monitor is None or return_outputs or num_items_in_batch is None:
            return loss
        self._micro_loss = loss.detach()
        # Zero times anything finite, NaN otherwise: all processes get it through the gradient they sum anyway.
        return loss if self.args.world_size == 1 else loss + (self._micro_loss - self._micro_loss) * loss

    def _get_grad_norm(self, model: nn.Module, grad_norm: Any = None) -> Any:
        norm = super()._get_grad_norm(model, grad_norm)
        if self.step_monitor is not None:
            self.step_monitor.decide(norm)
        return norm

    def _maybe_log_save_evaluate(self, *args: Any, **kwargs: Any) -> None:
        control = self.control
        if self.step_monitor is not None and (control.should_log or control.should_save or control.should_evaluate):
            self.step_monitor.judge_pending()
        super()._maybe_log_save_evaluate(*args, **kwargs)

    def _evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        metrics = super()._evaluate(*args, **kwargs)
        if self.step_monitor is not None:
            plain = {name.removeprefix("eval_"): value for name, value in metrics.items() if not name.endswith(TIMES)}
            texts = [(prediction, reference) for _, reference, prediction in self.last_texts]
            self.step_monitor.judge_between_steps(evaluation=plain, texts=texts)
        return metrics


class GuardEpochCallback(TrainerCallback):
    """Starts the guard with the training, and judges the weights at the end of an epoch."""

    def __init__(self, step_monitor: StepMonitor) -> None:
        self.step_monitor = step_monitor

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self.step_monitor.begin()

    def on_epoch_end(self, *_: Any, **__: Any) -> None:
        self.step_monitor.judge_pending()
        self.step_monitor.judge_between_steps(**weight_stats(self.step_monitor.trainer.model))

    def on_train_end(self, *_: Any, **__: Any) -> None:
        if count := self.step_monitor.skipped_updates:
            log.warning("skipped updates of non-finite steps: %d", count)
