"""The figures while training: what the trainer's evaluation loop gathered, in words."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from trainer.evaluation.metrics import scores_of_task

if TYPE_CHECKING:
    from torch import LongTensor

    from trainer.models.bundle import ModelBundle

PADDING = -100


def compute_metrics(parts: "ModelBundle") -> Callable[[Any], dict[str, float]]:
    """For transformers' `compute_metrics`: ids to words, rows parted by the task their labels name."""

    def compute(gathered: Any) -> dict[str, float]:
        predictions, labels = as_ids(gathered.predictions), as_ids(gathered.label_ids)
        tasks = parts.tasks_of({"labels": labels, "toks": labels})
        return metric_values(tasks, parts.decode(labels), parts.decode(predictions))

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


def as_ids(rows: Any) -> "LongTensor":
    """Rows of ids, ragged or not, in a list, an array or the first of a tuple, padded with -100."""
    import torch

    rows = rows[0] if isinstance(rows, tuple) else rows
    lists = [[int(number) for number in row] for row in rows]
    width = max((len(row) for row in lists), default=0)
    return torch.tensor([row + [PADDING] * (width - len(row)) for row in lists], dtype=torch.long).reshape(
        len(lists), width
    )
