"""Evaluation of a model on a test set: metrics and predictions, in two files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.atomic_write import write_files
from diagnose.common.printable import as_cell
from trainer.data.manifest import table_text
from trainer.evaluation.baselines import documents_of, with_baselines
from trainer.evaluation.metrics import Score, scores_of_task
from trainer.evaluation.predict import Prediction, Predictions, RowDataset, predict

if TYPE_CHECKING:
    from trainer.config import Config
    from trainer.models.bundle import ModelBundle

PREDICTION_COLUMNS = ("file", "task", "reference", "prediction")


@dataclass(frozen=True)
class Scores:
    """One evaluation; latency is the time for all tasks of one clip, in batches of `batch_size`."""

    name: str
    metrics: tuple[Score, ...]
    clips: int
    batch_size: int
    latency_seconds: float
    real_time_factor: float | None
    metrics_path: Path
    predictions_path: Path

    def value(self, name: str) -> float | None:
        """The figure of one metric; None when the task was not evaluated."""
        return next((score.value for score in self.metrics if score.name == name), None)

    @property
    def met(self) -> bool:
        """Every metric that has a target was measured and reached it."""
        return all(score.met for score in self.metrics if score.target)

    def to_json(self) -> str:
        return json.dumps(_plain(self), indent=2, ensure_ascii=False) + "\n"


def evaluate(bundle: "ModelBundle", dataset: RowDataset, config: "Config", name: str, output_dir: str | Path) -> Scores:
    """Generate for every row, score each task, write `{name}_metrics.json` and `{name}_predictions.csv`."""
    batch_size = config.training.eval_batch_size or config.training.batch_size
    found = predict(bundle, dataset, batch_size)
    metrics_path = Path(output_dir) / f"{name}_metrics.json"
    predictions_path = Path(output_dir) / f"{name}_predictions.csv"
    scores = Scores(
        name=name,
        metrics=score_rows(found.rows, config.evaluation.targets.model_dump(), documents_of(dataset)),
        clips=found.clips,
        batch_size=batch_size,
        latency_seconds=found.seconds / max(1, found.clips),
        real_time_factor=found.seconds / found.audio_seconds if found.audio_seconds else None,
        metrics_path=metrics_path,
        predictions_path=predictions_path,
    )
    write_files({predictions_path: _as_csv(predictions_path, found), metrics_path: scores.to_json()})
    return scores


def score_rows(
    rows: Sequence[Prediction], targets: Mapping[str, float | None], documents: Mapping[str, str] | None = None
) -> tuple[Score, ...]:
    """The metrics of each task that occurs, each with its target and that of the trivial answer."""
    scores: list[Score] = []
    for task in dict.fromkeys(row.task for row in rows):
        own = [row for row in rows if row.task == task]
        measured = scores_of_task(task, [row.reference for row in own], [row.prediction for row in own])
        scores += with_baselines(measured, task, own, documents or {})
    return tuple(replace(score, bound=targets.get(score.name)) for score in scores)


def _as_csv(path: Path, found: Predictions) -> str:
    rows = [{name: as_cell(str(value)) for name, value in vars(row).items()} for row in found.rows]
    return table_text(path, rows, PREDICTION_COLUMNS)


def _plain(scores: Scores) -> dict[str, object]:
    figures = {score.name: None if score.value is None else round(score.value, 4) for score in scores.metrics}
    details = {
        score.name: {
            **{"rows": score.rows, "target": score.target, "met": score.met, "signature": score.signature},
            **{"baseline": score.baseline, "baseline_name": score.baseline_name},
        }
        for score in scores.metrics
    }
    speed = {
        "latency_seconds": round(scores.latency_seconds, 4),
        "real_time_factor": None if scores.real_time_factor is None else round(scores.real_time_factor, 4),
        "batch_size": scores.batch_size,
    }
    return {"name": scores.name, **figures, **speed, "clips": scores.clips, "details": details}
