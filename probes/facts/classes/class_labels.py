"""Class labels in the items of a dataset, and the number of classes that a model can answer with."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from probes.facts.classes.types import ClassLabels
from probes.facts.core.fork import run_in_fork
from probes.facts.core.numbers import as_array

NAMES = ("label", "labels", "class", "target", "y")
SECONDS = 3.0  # for reading items; a preflight looks at as many as come in that time


def labels_in(dataset: Any, numbers: Sequence[int]) -> ClassLabels | None:
    """None where the first item has no class: an integer, or a one-hot vector."""
    return run_in_fork(lambda: _read(dataset, numbers))


def _read(dataset: Any, numbers: Sequence[int]) -> ClassLabels | None:
    counts: Counter[int] = Counter()
    one_hot = read = width = 0
    whole, start = True, time.monotonic()
    for number in numbers:
        label = label_of(dataset[number])
        if label is None:
            return None
        whole = whole and label.dtype.kind in "iub"
        if label.ndim:
            width, one_hot = label.size, one_hot + int((label == 1).sum() == 1 and (label == 0).sum() == label.size - 1)
            counts[int(label.argmax())] += 1
        else:
            counts[int(label)] += 1
        read += 1
        if time.monotonic() - start > SECONDS:
            break
    return ClassLabels(read, len(dataset), dict(counts), one_hot, width, whole)


def label_of(item: Any) -> np.ndarray | None:
    """A whole number, or a short vector that may be one-hot."""
    if isinstance(item, Mapping):
        value = next((item[name] for name in NAMES if name in item), None)
    else:
        value = item[1] if isinstance(item, list | tuple) and len(item) == 2 else None
    label = as_array(value)
    if label is None:
        return None
    scalar = label.ndim == 0 and label.dtype.kind in "iu"
    vector = label.ndim == 1 and label.size > 1 and label.dtype.kind in "iubf" and bool(np.isin(label, (0, 1)).all())
    return label if scalar or vector else None


def head_of(model: Any) -> tuple[int | None, str]:
    """The outputs and the name of the last linear layer."""
    if not isinstance(model, torch.nn.Module):
        return None, ""
    linear = [(name, module) for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)]
    return (linear[-1][1].out_features, linear[-1][0]) if linear else (None, "")
