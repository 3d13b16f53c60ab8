"""Predictions of known quality in a model's place, and a metric function that remembers what it was given."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from probes.facts.core.failure import failure_of
from probes.facts.core.types import Failure
from probes.facts.generation.metric_trial import CERTAIN, Rows, figures_of

Choose = Callable[[Rows], Rows]  # what is predicted for rows with these labels


class MetricCall:
    """Stands for a Trainer's compute_metrics: calls it, and keeps its arrays, its figures or what it raised."""

    def __init__(self, compute: Any) -> None:
        self.compute = compute
        self.arrays: tuple[Any, Any] | None = None  # None also where it is called batch by batch
        self.figures: dict[str, float] | None = None
        self.failure: Failure | None = None

    def __call__(self, prediction: Any, **more: Any) -> Any:
        self.arrays = None if more else (_copied(prediction.predictions), _copied(prediction.label_ids))
        try:
            found = self.compute(prediction, **more)
        except Exception as error:
            self.failure = failure_of(error, None, "metric")
            raise
        self.figures = figures_of(found)
        return found

    def without_ignored(self, padding: int) -> dict[str, float] | None:
        """The figures for the same arrays with padding in place of -100; None where it raises for them, too."""
        from transformers import EvalPrediction

        if self.arrays is None:
            return {}
        try:
            return figures_of(self.compute(EvalPrediction(*(_filled(part, padding) for part in self.arrays))))
        except Exception:
            return None


class KnownPredictions:
    """What the model is made to answer to the batch that is evaluated at the moment.

    `start`: what generated rows begin with; `shift`: by how many positions scores precede their labels.
    """

    def __init__(self, choose: Choose, padding: int, start: int | None, shift: int) -> None:
        self.choose, self.padding, self.start, self.shift = choose, padding, start, shift
        self.used = self.differs = False
        self.batches = 0
        self.rows: Rows = []  # of the labels, in the order of the evaluation

    def take(self, labels: torch.Tensor) -> None:
        """The labels of the next batch."""
        self.labels = labels
        self.batches += 1
        table = labels if labels.dim() > 1 else labels[:, None]
        rows = [[token for token in row if token >= 0] for row in table.tolist()]
        self.chosen = self.choose(rows)
        fill = [self.padding] * max(map(len, rows))
        self.differs |= any([*row, *fill][: len(own)] != own for row, own in zip(self.chosen, rows, strict=True))
        self.rows += rows

    def ids(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        """As generate returns them: after the start token, padded to the longest; each batch has another width."""
        self.used = True
        start = [] if self.start is None else [self.start]
        lines = [row if row[:1] == start else [*start, *row] for row in self.chosen]
        width = max(map(len, lines)) + self.batches
        return torch.tensor([[*row, *[self.padding] * (width - len(row))] for row in lines])

    def output(self, output: Any) -> Any:
        """The output with scores that are certain of the chosen rows; itself where it has none beside the labels."""
        logits = output.get("logits") if isinstance(output, Mapping) else None
        if logits is None or logits.shape[:-1] != self.labels.shape:
            return output
        self.used = True
        targets = self._targets().to(logits.device)
        scores = torch.zeros_like(logits).scatter_(-1, targets[..., None], CERTAIN)
        return type(output)({**output, "logits": scores})

    def _targets(self) -> torch.Tensor:
        """The chosen rows where the labels are, moved to where the loss reads the scores for them."""
        if self.labels.dim() == 1:
            return torch.tensor([row[0] for row in self.chosen])
        targets = torch.full(self.labels.shape, self.padding)
        for number, row in enumerate(self.chosen):
            places = (self.labels[number] >= 0).nonzero()[:, 0].tolist()
            for place, token in zip(places, row, strict=False):
                targets[number, max(0, place - self.shift)] = token
        return targets


def swapped(rows: Rows) -> Rows:
    """The rows of others, moved so that as few as possible stay the same as far as they go."""
    moves = [[*rows[by:], *rows[:by]] for by in range(1, len(rows))] or [rows]
    return max(moves, key=lambda moved: sum(one[: len(own)] != own for one, own in zip(moved, rows, strict=True)))


def _copied(value: Any) -> Any:
    return type(value)(map(_copied, value)) if isinstance(value, list | tuple) else np.array(value)


def _filled(value: Any, padding: int) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_filled(one, padding) for one in value)
    return np.where(value == -100, padding, value) if value.dtype.kind in "iu" else value
