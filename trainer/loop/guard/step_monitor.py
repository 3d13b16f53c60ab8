"""Judges every step of a run between backward and update: what is kept, what is withheld, what is recorded."""

from __future__ import annotations

import time
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from trainer.loop.guard.recording import record
from trainer.loop.guard.rng_state import get_rng_state, set_rng_state
from trainer.loop.guard.skip_update import UpdateGate
from trainer.loop.guard.step_snapshot import BatchCopier, BufferSnapshot, StepSnapshot
from trainer.loop.guard.weight_norm import weight_stats

if TYPE_CHECKING:
    from trainer.loop.guard.protocol import GuardProtocol
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import Batch


class StepMonitor:
    """Stands between the loop and its judge."""

    def __init__(self, trainer: RunTrainer, watch: GuardProtocol, lag: int | None = None) -> None:
        self.trainer, self.watch, self.lag = trainer, watch, lag
        self.box: StepSnapshot | None = None
        self.recorded: Path | None = None
        self.noted = False  # whether a recording was due, here or in another process
        self.withheld = 0

    def begin(self) -> None:
        """When optimiser and schedule are there."""
        trainer, training = self.trainer, self.trainer.config.training
        self.device, self.alone = trainer.args.device, trainer.args.world_size == 1
        self.scaler = trainer.accelerator.scaler
        self.buffers, self.intake = BufferSnapshot(trainer.model), BatchCopier()
        self.withholding = UpdateGate(trainer.optimizer, self.device, self.scaler is not None, self.lag)
        ctc = getattr(trainer.model.config, "ctc_weight", 0.0)
        self.watch.begin(
            total_steps=trainer.state.max_steps,
            schedule=str(training.lr_scheduler_type),
            scaled=self.scaler is not None,
            processes=trainer.args.world_size,
            phases=(training.ctc_only_steps,) if training.ctc_only_steps else (),
            vocabulary=None if ctc else getattr(trainer.model.config, "vocab_size", None),
        )

    def sums(self) -> dict[str, Any]:
        """What a step adds to: taken before its batches are counted."""
        book = self.trainer.book
        return {"loss": self.trainer._tr_loss.clone(), "parts": dict(book.sums), "steps": dict(book.steps)}

    def keep(self, batches: list[Batch], totals: Any, sums: dict[str, Any], started: float) -> None:
        """A step is about to be made."""
        self.box = StepSnapshot(
            step=self.trainer.state.global_step + 1,
            batches=self.intake.take(batches),
            totals=totals,
            lr=self.trainer._get_learning_rate(),
            buffers=self.buffers.copy(),
            empty=self.trainer._empty_step,
            loading_seconds=time.perf_counter() - started,
            started=started,
            sums=sums,
        )

    def meet(self) -> None:
        """A micro-batch of the step is about to go through the model."""
        self.box.chances.append(get_rng_state(self.device))

    def decide(self, norm: Any) -> None:
        """The gradients are there and their norm is known: may the update happen?"""
        box, parts = self.box, self.trainer.book.now
        box.parts, box.spoilt = tuple(parts), self.intake.spoilt()
        decisive = [torch.stack(box.losses).sum(), torch.as_tensor(norm, device=self.device)]
        figures = torch.stack([value.float() for value in (*decisive, *parts.values())])
        self.judge(self.withholding.decide(box, figures))

    def settle(self) -> None:
        """Before anything is written down or saved, all steps made so far are known to be sound."""
        self.judge(self.withholding.arrived())

    def judge(self, known: Any) -> None:
        for box, (loss, norm, *parts) in known:
            broken = not isfinite(loss) or not (isfinite(norm) or self.scaler)
            due = self.watch.due(box.step)
            figures = self._figures(box, loss, norm, parts) | (weight_stats(self.trainer.model) if due else {})
            stops = self._asked(broken or due, figures)
            if broken and self.watch.mode != "off":
                self._withhold(box)
            if stops or (broken and self.watch.mode == "warn" and not self.noted):
                exact = (broken or not self.withholding.lag) and not box.spoilt  # else the update has happened by now
                self._record(box, {"loss": str(loss), "grad_norm": str(norm), "exact": exact})
            if stops:
                set_rng_state(box.chances[0], self.device)
                self.watch.halt(self.recorded)

    def ask(self, **figures: Any) -> None:
        """What is known after a step rather than within one."""
        state = self.trainer.state
        if self._asked(True, {"step": state.global_step, "epoch": state.epoch, **figures}):
            if self.box is not None:
                self._record(self.box, {"exact": False})
            self.watch.halt(self.recorded)

    def anomaly(self, loss: Tensor) -> None:
        """Anomaly detection ended the backward pass before there was a norm: the step is judged as it stands."""
        self.box.losses.append(loss)
        self.judge([(self.box, [float(torch.stack(self.box.losses).sum()), float("nan")])])

    def _asked(self, together: bool, figures: dict[str, Any]) -> bool:
        stops = self.watch.judge(**figures)
        return stops if self.alone or not together else self.trainer.vote(stops)

    def _figures(self, box: StepSnapshot, loss: float, norm: float, parts: list[float]) -> dict[str, Any]:
        return {
            "step": box.step,
            "loss": None if box.empty else loss,
            "parts": dict(zip(box.parts, parts, strict=True)) if "ctc" in box.parts or len(parts) > 1 else {},
            "grad_norm": norm,
            "clip": self.trainer.args.max_grad_norm or None,
            "lr": box.lr,
            "epoch": self.trainer.state.epoch,
            "scale": self.scaler.get_scale() if self.scaler else None,
            "seconds": time.perf_counter() - box.started,
            "loading_seconds": box.loading_seconds,
        }

    def _withhold(self, box: StepSnapshot) -> None:
        """The step leaves no trace in buffers and sums; where the device has not withheld it, no gradient stays."""
        trainer, book, steps = self.trainer, self.trainer.book, 1 + self.withholding.forgive()
        if self.withholding.reads_at_once:
            trainer.model.zero_grad(set_to_none=True)
        self.buffers.put_back(box.buffers)
        trainer._tr_loss.copy_(box.sums["loss"])
        book.sums, book.steps = dict(box.sums["parts"]), dict(box.sums["steps"])
        book.empty, book.empty_in_all = book.empty + steps, book.empty_in_all + steps
        self.withheld += steps

    def _record(self, box: StepSnapshot, figures: dict[str, Any]) -> None:
        """Of many processes those write whose own loss is bad; where nobody's is, all do."""
        self.noted = True
        bad = not all(isfinite(float(loss)) for loss in box.losses)
        somebody = bad if self.alone else self.trainer.vote(bad)
        if bad or not somebody:
            self.recorded = record(self.trainer, box, figures)
