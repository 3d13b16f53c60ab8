"""Mean and scale of whole sets of vectors, each alone and both together: on which were the statistics fitted?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from diagnose.engine.context import NotApplicable
from probes.facts.core.fork import run_in_fork
from probes.facts.features.batch_features import NAMES
from probes.facts.features.types import SetStatistics, SplitStatistics

MOST_ROWS, MOST_NUMBERS = 50_000, 20_000_000


def moments_of(train: Any, evaluation: Any) -> SplitStatistics:
    return run_in_fork(lambda: _moments(_vectors(train), _vectors(evaluation)))


def _vectors(dataset: Any) -> np.ndarray:
    first = _vector(dataset[0])
    if first is None or len(dataset) > MOST_ROWS or len(dataset) * first.size > MOST_NUMBERS:
        raise NotApplicable("the items are not vectors of one size, or there are too many to read")
    rows = []
    for number in range(len(dataset)):
        row = _vector(dataset[number])
        if row is None or row.shape != first.shape:
            raise NotApplicable("the items are not vectors of one size")
        rows.append(row)
    return np.stack(rows).astype(np.float64)


def _vector(item: Any) -> np.ndarray | None:
    """The float input of a pair or of a dict."""
    values = [item.get(name) for name in NAMES] if isinstance(item, Mapping) else []
    if isinstance(item, list | tuple) and len(item) >= 2:
        values = [item[0]]
    for value in values:
        array = np.asarray(value) if value is not None and not isinstance(value, str) else None
        if array is not None and array.dtype.kind == "f" and array.ndim == 1:
            return array
    return None


def _moments(train: np.ndarray, evaluation: np.ndarray) -> SplitStatistics:
    if train.shape[1] != evaluation.shape[1]:
        raise NotApplicable("the vectors of training and evaluation differ in size")
    both = np.concatenate([train, evaluation])
    vary = both.std(0) > 1e-6
    if train.shape == evaluation.shape and np.array_equal(train, evaluation):
        raise NotApplicable("training and evaluation are the same rows")
    sets = (SetStatistics(len(rows), *_off(rows[:, vary])) for rows in (train, evaluation, both))
    return SplitStatistics(int(vary.sum()), *sets)


def _off(rows: np.ndarray) -> tuple[float, float]:
    if not rows.size:
        return 0.0, 0.0
    return float(np.abs(rows.mean(0)).max()), float(np.abs(rows.std(0) - 1).max())
