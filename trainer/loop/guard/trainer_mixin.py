"""Where the guards take hold of the loop: when a step begins, when its gradients are there, before a save."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from trainer.loop.guard.step_monitor import StepMonitor
from trainer.loop.guard.weight_norm import weight_stats

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from trainer.loop.guard.protocol import GuardProtocol
    from trainer.models.bundle import Batch

log = logging.getLogger(__name__)

ANOMALY = "returned nan values"  # what torch's anomaly detection says
TIMES = ("runtime", "per_second", "compilation_time", "epoch")


class GuardMixin:
    """For a transformers Trainer that has our books; without a guard it does nothing."""

    sentinel: StepMonitor | None = None

    def guarded_by(self, watch: GuardProtocol, lag: int | None = None) -> None:
        """From now on every step is judged; `lag` is how many steps later its flag is read, by default what suits."""
        self.sentinel = StepMonitor(self, watch, lag)
        if hasattr(self.train_dataset, "guarded"):
            self.train_dataset.guarded = True
        self.add_callback(GuardEpochCallback(self.sentinel))

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: torch.device) -> tuple[list[Batch], Any]:
        if self.sentinel is None:
            return super().get_batch_samples(epoch_iterator, num_batches, device)
        started, sums = time.perf_counter(), self.sentinel.sums()
        batches, totals = super().get_batch_samples(epoch_iterator, num_batches, device)
        self.sentinel.keep(batches, totals, sums, started)
        return batches, totals

    def training_step(self, model: nn.Module, inputs: Batch, num_items_in_batch: Any = None) -> Tensor:
        if self.sentinel is None:
            return super().training_step(model, inputs, num_items_in_batch)
        self.sentinel.meet()
        try:
            loss = super().training_step(model, inputs, num_items_in_batch)
        except RuntimeError as error:
            if ANOMALY in str(error) and self.args.world_size == 1:
                log.info("step %d: %s", self.state.global_step + 1, error)
                self.sentinel.anomaly(self._loss)
            raise
        self.sentinel.box.losses.append(loss)
        return loss

    def compute_loss(
        self, model: nn.Module, inputs: Batch, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        found = super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        if self.sentinel is None or return_outputs or num_items_in_batch is None:
            return found
        self._loss = found.detach()
        # Zero times anything finite, NaN otherwise: all processes hear of it through the gradient they sum anyway.
        return found if self.args.world_size == 1 else found + (self._loss - self._loss) * found

    def _get_grad_norm(self, model: nn.Module, grad_norm: Any = None) -> Any:
        norm = super()._get_grad_norm(model, grad_norm)
        if self.sentinel is not None:
            self.sentinel.decide(norm)
        return norm

    def _maybe_log_save_evaluate(self, *args: Any, **more: Any) -> None:
        control = self.control
        if self.sentinel is not None and (control.should_log or control.should_save or control.should_evaluate):
            self.sentinel.settle()
        super()._maybe_log_save_evaluate(*args, **more)

    def _evaluate(self, *args: Any, **more: Any) -> dict[str, float]:
        metrics = super()._evaluate(*args, **more)
        if self.sentinel is not None:
            plain = {name.removeprefix("eval_"): value for name, value in metrics.items() if not name.endswith(TIMES)}
            self.sentinel.ask(evaluation=plain, texts=[(said, meant) for _, meant, said in self.last_texts])
        return metrics


class GuardEpochCallback(TrainerCallback):
    """Begins when training does, and looks at the weights where an epoch ends."""

    def __init__(self, sentinel: StepMonitor) -> None:
        self.sentinel = sentinel

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self.sentinel.begin()

    def on_epoch_end(self, *_: Any, **__: Any) -> None:
        self.sentinel.settle()
        self.sentinel.ask(**weight_stats(self.sentinel.trainer.model))

    def on_train_end(self, *_: Any, **__: Any) -> None:
        if count := self.sentinel.withheld:
            log.warning("updates that were withheld, for their steps were not finite: %d", count)
