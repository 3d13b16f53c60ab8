"""Metrics during training, from the ids that the evaluation loop gathered."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from trainer.evaluation.metrics import scores_of_task

if TYPE_CHECKING:
    from trainer.models.bundle import ModelBundle


def compute_metrics(bundle: "ModelBundle") -> Callable[[Any], dict[str, float]]:
    """A function for transformers' `compute_metrics`: decodes ids and scores the rows of each task."""

    def compute(gathered: Any) -> dict[str, float]:
        from trainer.collate.labels import pad_labels

        gathered_ids = (gathered.predictions, gathered.label_ids)
        predictions, labels = (pad_labels(ids[0] if isinstance(ids, tuple) else ids) for ids in gathered_ids)
        tasks = bundle.tasks_of({"labels": labels, "toks": labels})
        return metric_values(tasks, bundle.decode(labels), bundle.decode(predictions))

    return compute


def metric_values(tasks: Sequence[str], references: Sequence[str], predictions: Sequence[str]) -> dict[str, float]:
    """Metric names and values, over the rows of each task; what could not be measured is left out."""
    rows = list(zip(tasks, references, predictions, strict=True))
    scores = [
        score
        for task in dict.fromkeys(tasks)
        for score in scores_of_task(task, [r for t, r, _ in rows if t == task], [p for t, _, p in rows if t == task])
    ]
    return {score.name: score.value for score in scores if score.value is not None}
