"""Judges every step of a run between backward and update: skip it, record it, or stop the run."""

from __future__ import annotations

import time
from collections.abc import Iterable
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
    """Snapshots every step, asks the guard, then skips the update, records the step or stops the run."""

    snapshot: StepSnapshot

    def __init__(self, trainer: RunTrainer, guard: GuardProtocol, lag: int | None = None) -> None:
        self.trainer, self.guard, self.lag = trainer, guard, lag
        self.recording: Path | None = None
        self.recording_due = False  # here or in another process
        self.skipped_updates = 0

    def begin(self) -> None:
        """Start, once the optimizer and the schedule are built."""
        trainer, training = self.trainer, self.trainer.config.training
        self.device, self.single_process = trainer.args.device, trainer.args.world_size == 1
        self.scaler = trainer.accelerator.scaler
        self.buffers, self.batch_copier = BufferSnapshot(trainer.model), BatchCopier()
        self.update_gate = UpdateGate(trainer.optimizer, self.device, self.scaler is not None, self.lag)
        ctc = getattr(trainer.model.config, "ctc_weight", 0.0)
        self.guard.begin(
            total_steps=trainer.state.max_steps,
            schedule=str(training.lr_scheduler_type),
            scaled=self.scaler is not None,
            processes=trainer.args.world_size,
            phases=(training.ctc_only_steps,) if training.ctc_only_steps else (),
            vocabulary=None if ctc else getattr(trainer.model.config, "vocab_size", None),
        )

    def loss_totals(self) -> dict[str, Any]:
        """The running sums that a step adds to; taken before its targets are counted."""
        tracker = self.trainer.loss_tracker
        return {"loss": self.trainer._tr_loss.clone(), "terms": dict(tracker.sums), "steps": dict(tracker.steps)}

    def start_step(self, batches: list[Batch], totals: Any, totals_before: dict[str, Any], started: float) -> None:
        """Take the snapshot of a step that is about to be made."""
        self.snapshot = StepSnapshot(
            step=self.trainer.state.global_step + 1,
            batches=self.batch_copier.copies_of(batches),
            totals=totals,
            lr=self.trainer._get_learning_rate(),
            buffers=self.buffers.copy(),
            nothing_scored=self.trainer.nothing_scored,
            loading_seconds=time.perf_counter() - started,
            started=started,
            totals_before=totals_before,
        )

    def start_micro_batch(self) -> None:
        """Take the RNG state before a micro-batch goes through the model."""
        self.snapshot.rng_states.append(get_rng_state(self.device))

    def decide(self, norm: Any) -> None:
        """Decide on the update, once the gradients and their norm are there."""
        snapshot, terms = self.snapshot, self.trainer.loss_tracker.step_terms
        snapshot.terms, snapshot.batches_modified = tuple(terms), self.batch_copier.were_modified()
        figures = [torch.stack(snapshot.losses).sum(), torch.as_tensor(norm, device=self.device), *terms.values()]
        self.judge(self.update_gate.decide(snapshot, torch.stack([value.float() for value in figures])))

    def judge_pending(self) -> None:
        """Judge all steps made so far, before anything is logged or saved."""
        self.judge(self.update_gate.ready_steps())

    def judge(self, steps: Iterable[tuple[StepSnapshot, list[float]]]) -> None:
        for snapshot, (loss, norm, *terms) in steps:
            broken = not isfinite(loss) or not (isfinite(norm) or self.scaler)
            due = self.guard.due(snapshot.step)
            figures = {**snapshot.figures(loss, norm, terms), **self._run_figures()}
            if due:
                figures |= weight_stats(self.trainer.model)
            stops = self._must_stop(broken or due, figures)
            if broken and self.guard.mode != "off":
                self._undo_step(snapshot)
            if stops or (broken and self.guard.mode == "warn" and not self.recording_due):
                updated = self.update_gate.lag and not broken  # by now
                exact = not updated and not snapshot.batches_modified
                self._record(snapshot, {"loss": str(loss), "grad_norm": str(norm), "exact": exact})
            if stops:
                set_rng_state(snapshot.rng_states[0], self.device)
                self.guard.halt(self.recording)

    def judge_between_steps(self, **figures: Any) -> None:
        """Judge what is known after a step rather than within one."""
        if self._must_stop(
            True, {"step": self.trainer.state.global_step, "epoch": self.trainer.state.epoch, **figures}
        ):
            if hasattr(self, "snapshot"):
                self._record(self.snapshot, {"exact": False})
            self.guard.halt(self.recording)

    def judge_anomaly(self, loss: Tensor) -> None:
        """Judge a step whose backward pass was ended by anomaly detection, before there was a norm."""
        self.snapshot.losses.append(loss)
        self.judge([(self.snapshot, [float(torch.stack(self.snapshot.losses).sum()), float("nan")])])

    def _must_stop(self, in_all_processes: bool, figures: dict[str, Any]) -> bool:
        stops = self.guard.judge(**figures)
        return self.trainer.any_process(stops) if in_all_processes and not self.single_process else stops

    def _run_figures(self) -> dict[str, Any]:
        return {
            "clip": self.trainer.args.max_grad_norm or None,
            "epoch": self.trainer.state.epoch,
            "scale": self.scaler.get_scale() if self.scaler else None,
        }

    def _undo_step(self, snapshot: StepSnapshot) -> None:
        """Restore buffers and running sums; drop the gradients where the device has not skipped the update."""
        tracker, steps = self.trainer.loss_tracker, 1 + self.update_gate.reset()
        if self.update_gate.reads_at_once:
            self.trainer.model.zero_grad(set_to_none=True)
        self.buffers.restore(snapshot.buffers)
        self.trainer._tr_loss.copy_(snapshot.totals_before["loss"])
        tracker.sums, tracker.steps = (dict(snapshot.totals_before[name]) for name in ("terms", "steps"))
        tracker.empty, tracker.empty_in_all = tracker.empty + steps, tracker.empty_in_all + steps
        self.skipped_updates += steps

    def _record(self, snapshot: StepSnapshot, figures: dict[str, Any]) -> None:
        """Record the step in the processes whose own loss is not finite; in all if none is."""
        self.recording_due = True
        bad = not all(isfinite(float(loss)) for loss in snapshot.losses)
        any_bad = not self.single_process and self.trainer.any_process(bad)
        if bad or not any_bad:
            self.recording = record(self.trainer, snapshot, figures)
