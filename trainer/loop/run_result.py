"""The end of a run: the saved model, train_results.json, and the summary that is printed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diagnose.common.atomic_write import write_files
from trainer.loop.checkpoints.checksums import RESULTS, write_checksums
from trainer.loop.checkpoints.store import install_files

if TYPE_CHECKING:
    from pathlib import Path

    from transformers.trainer_utils import TrainOutput

    from trainer.loop.trainer import RunTrainer


@dataclass(frozen=True)
class RunResult:
    """The result of a finished run."""

    directory: Path
    steps: int
    train_loss: float  # the average over the run, as transformers reports it
    last_loss: float | None  # as logged last; None if the run was shorter than training.logging_steps
    last_loss_step: int | None
    best_metric: float | None
    best_step: int | None
    skipped_batches: int
    resumed_from: Path | None
    metrics: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"trained {self.steps} steps, {self._losses()}; the model is in {self.directory}"]
        if self.best_step is not None:
            lines.append(f"best: {self.best_metric:.4f} at step {self.best_step}")
        if self.skipped_batches:
            lines.append(f"{self.skipped_batches} batches had no scored label and were skipped")
        return "\n".join(lines)

    def _losses(self) -> str:
        if self.last_loss is None:
            return f"average loss {self.train_loss:.4f}"
        place = "" if self.last_loss_step == self.steps else f" at step {self.last_loss_step}"
        return f"loss {self.last_loss:.4f}{place} (average over the run {self.train_loss:.4f})"


def finish(trainer: RunTrainer, output: TrainOutput, resumed_from: Path | None) -> RunResult:
    """Save the model, then train_results.json, which marks the run as finished."""
    state = trainer.state
    logged = [line for line in state.log_history if "loss" in line]
    result = RunResult(
        directory=trainer.run,
        steps=state.global_step,
        train_loss=output.metrics["train_loss"],
        last_loss=logged[-1]["loss"] if logged else None,
        last_loss_step=int(logged[-1]["step"]) if logged else None,
        best_metric=state.best_metric,
        best_step=state.best_global_step,
        skipped_batches=trainer.loss_tracker.skipped,
        resumed_from=resumed_from,
        metrics=output.metrics,
    )
    if trainer.args.should_save:
        with install_files(trainer.run, trainer.needed_bytes()) as staged:
            trainer.bundle.save(staged)
            write_checksums(staged)
        write_files({trainer.run / RESULTS: json.dumps(_plain(result), indent=1) + "\n"})
    return result


def _plain(result: RunResult) -> dict[str, Any]:
    names = ("steps", "last_loss", "last_loss_step", "best_metric", "best_step", "skipped_batches")
    figures = {name: getattr(result, name) for name in names}
    return {**result.metrics, **figures, "resumed_from": str(result.resumed_from) if result.resumed_from else None}
