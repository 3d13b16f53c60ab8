"""The end of a run: the saved model, train_results.json, and the summary that is printed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diagnose.common.atomic_write import write_files
from trainer.loop.checkpoints.store import install_files

if TYPE_CHECKING:
    from pathlib import Path

    from transformers.trainer_utils import TrainOutput

    from trainer.loop.trainer import RunTrainer

RESULTS = "train_results.json"


@dataclass(frozen=True)
class RunResult:
    """The result of a finished run."""

    directory: Path
    steps: int
    train_loss: float
    best_metric: float | None
    best_step: int | None
    skipped_batches: int
    resumed_from: Path | None
    metrics: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [f"trained {self.steps} steps, loss {self.train_loss:.4f}; the model is in {self.directory}"]
        if self.best_step is not None:
            lines.append(f"best: {self.best_metric:.4f} at step {self.best_step}")
        if self.skipped_batches:
            lines.append(f"{self.skipped_batches} batches had no label to score and were skipped")
        return "\n".join(lines)


def finish(trainer: RunTrainer, output: TrainOutput, resumed_from: Path | None) -> RunResult:
    """Save the model, then train_results.json, which marks the run as finished."""
    state = trainer.state
    result = RunResult(
        directory=trainer.run,
        steps=state.global_step,
        train_loss=output.metrics["train_loss"],
        best_metric=state.best_metric,
        best_step=state.best_global_step,
        skipped_batches=trainer.loss_tracker.skipped,
        resumed_from=resumed_from,
        metrics=output.metrics,
    )
    if trainer.args.should_save:
        with install_files(trainer.run, trainer.needed_bytes()) as staged:
            trainer.bundle.save(staged)
        write_files({trainer.run / RESULTS: json.dumps(_plain(result), indent=1) + "\n"})
    return result


def _plain(result: RunResult) -> dict[str, Any]:
    figures = {name: getattr(result, name) for name in ("steps", "best_metric", "best_step", "skipped_batches")}
    return {**result.metrics, **figures, "resumed_from": str(result.resumed_from) if result.resumed_from else None}
