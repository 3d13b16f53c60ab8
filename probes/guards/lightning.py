"""The guards for Lightning: Trainer(..., callbacks=[GuardCallback()]). Needs the extra [lightning]."""

from math import isfinite
from typing import Any

import torch

from diagnose.guard import Guard
from probes.guards.gradients import drop_gradients, gradients, norm_of
from probes.guards.recording import StepRecorder
from probes.integrations.lightning_module import precision_of

try:
    from lightning.pytorch import Callback
except ModuleNotFoundError:
    from pytorch_lightning import Callback  # type: ignore[assignment]


class GuardCallback(Callback):
    """Judges every step by its loss and the norm of its gradients before clipping; a bad one is not made.

    On a GPU that waits for the device at every step. The step is recorded in the run's default_root_dir; `record=False`
    keeps nothing.
    """

    def __init__(self, mode: str = "stop", every: int = 50, record: bool = True) -> None:
        self.guard, self.recorder = Guard(mode, every), StepRecorder(record and mode != "off")
        self._losses: list[torch.Tensor] = []

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        steps, scaler = trainer.estimated_stepping_batches, getattr(trainer.precision_plugin, "scaler", None)
        total = int(steps) if steps != float("inf") and steps > 0 else None
        self.guard.begin(total_steps=total, scaled=scaler is not None)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        self.recorder.note(batch)

    def on_before_backward(self, trainer: Any, pl_module: Any, loss: torch.Tensor) -> None:
        self._losses.append(loss.detach().reshape(()))

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        """Between backward and clipping; Lightning has divided each loss by the number that are accumulated."""
        losses, self._losses = self._losses, []
        if self.guard.mode == "off":
            return
        each = [float(one) for one in losses]
        loss = sum(each) if each else None
        norm = None if self.guard.known["scaled"] else norm_of(gradients([optimizer]))
        lr, clip = optimizer.param_groups[0]["lr"], trainer.gradient_clip_val
        step = trainer.global_step + 1
        stops = self.guard.judge(step=step, loss=loss, grad_norm=norm, lr=lr, clip=clip or None)
        recording = None
        if not all(value is None or isfinite(value) for value in (loss, norm)):
            drop_gradients([optimizer])
            recording = self.recorder.write(trainer.default_root_dir, step, pl_module, each, precision_of(trainer))
        self.recorder.clear()
        if stops:
            self.guard.halt(recording)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """What the module logged under a name that begins with val."""
        if trainer.sanity_checking:
            return
        told = {name: value for name, value in trainer.callback_metrics.items() if name.startswith("val")}
        plain = {name.removeprefix("val").lstrip("_/") or name: float(value) for name, value in told.items()}
        if plain and self.guard.judge(step=trainer.global_step, evaluation=plain):
            self.guard.halt()
