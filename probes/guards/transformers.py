"""The guards for a transformers Trainer: Trainer(..., callbacks=[GuardCallback()])."""

import sys
from typing import Any

import torch
from transformers import TrainerCallback

from diagnose.guard import Guard
from probes.guards.gradients import all_finite, drop_gradients, gradients
from probes.guards.recording import StepRecorder

TIMES = ("runtime", "per_second", "compilation_time", "epoch")


class GuardCallback(TrainerCallback):
    """Withholds the update of a step that is not finite; judges what is logged and evaluated.

    A callback is told neither loss nor gradient norm before the update: the gradients are read once, the loss is heard
    from the model. On a GPU that waits for the device at every step, as the Trainer's own logging_nan_inf_filter does,
    which can be turned off. The step is recorded in the run's output_dir; `record=False` keeps nothing.
    """

    def __init__(self, mode: str = "stop", every: int = 50, record: bool = True) -> None:
        self.guard, self.recorder = Guard(mode, every), StepRecorder(record and mode != "off")
        self._losses: list[torch.Tensor] = []
        self._hooks: list[Any] = []

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        schedule = getattr(args.lr_scheduler_type, "value", args.lr_scheduler_type)
        self.guard.begin(total_steps=state.max_steps, schedule=str(schedule), scaled=bool(args.fp16))
        if model is not None and self.guard.mode != "off":
            before = model.register_forward_pre_hook(self._before_forward, with_kwargs=True)
            self._hooks = [before, model.register_forward_hook(self._hear)]

    def on_pre_optimizer_step(
        self, args: Any, state: Any, control: Any, model: Any = None, optimizer: Any = None, **_: Any
    ) -> None:
        losses, self._losses = self._losses, []
        if self.guard.mode == "off":
            return
        loss = float(torch.stack(losses).float().mean()) if losses else None
        sound = self.guard.known["scaled"] or all_finite(gradients([optimizer]))
        if sound and (loss is None or loss - loss == 0):
            self.recorder.clear()
            return
        stops = self.guard.judge(step=state.global_step + 1, loss=loss, grad_norm=None if sound else float("nan"))
        drop_gradients([optimizer])
        precision, each = "fp16" if args.fp16 else "bf16" if args.bf16 else "fp32", [float(one) for one in losses]
        recording = self.recorder.write(args.output_dir, state.global_step + 1, model, each, precision)
        self.recorder.clear()
        if stops:
            self._deaf()
            self.guard.halt(recording)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        told = logs or {}
        if "loss" in told:
            norm, rate = told.get("grad_norm"), told.get("learning_rate")
            self._judge(state, loss=told["loss"], grad_norm=norm, lr=rate, clip=args.max_grad_norm or None)

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **_: Any) -> None:
        numbers = {key: value for key, value in (metrics or {}).items() if isinstance(value, int | float)}
        plain = {key.removeprefix("eval_"): value for key, value in numbers.items() if not key.endswith(TIMES)}
        if plain:
            self._judge(state, evaluation=plain)

    def on_train_end(self, *_: Any, **__: Any) -> None:
        self._deaf()

    def _judge(self, state: Any, **figures: Any) -> None:
        if self.guard.judge(step=state.global_step, epoch=state.epoch, **figures):
            self._deaf()
            self.guard.halt()

    def _before_forward(self, model: torch.nn.Module, given: Any, named: Any) -> None:
        if model.training and torch.is_grad_enabled():
            self.recorder.note(_inputs_of_step() or named)

    def _hear(self, model: torch.nn.Module, given: Any, output: Any) -> None:
        if model.training and torch.is_grad_enabled():
            loss = output.get("loss") if isinstance(output, dict) else getattr(output, "loss", None)
            if isinstance(loss, torch.Tensor) and loss.numel() == 1:
                self._losses.append(loss.detach().reshape(()))

    def _deaf(self) -> None:
        for hook in self._hooks:
            hook.remove()
        self._hooks = []


def _inputs_of_step() -> Any:
    """What Trainer.training_step was given; None where something else calls the model."""
    frame: Any = sys._getframe()
    while frame is not None and frame.f_code.co_name != "training_step":
        frame = frame.f_back
    return frame.f_locals.get("inputs") if frame else None
