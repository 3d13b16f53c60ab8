"""Class labels in the items of a dataset, and the number of classes that a model can answer with."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from probes.facts.classes.types import ClassLabels
from probes.facts.core.batches import tensors_of
from probes.facts.core.fork import run_in_fork
from probes.facts.core.numbers import as_array

NAMES = ("label", "labels", "class", "target", "y")
BYTES = 2**28  # of items that are read: 140 clips of 30 s; all of the 2,000 where items are small


def labels_in(dataset: Any, numbers: Sequence[int]) -> ClassLabels | None:
    """None where the first item has no class: an integer, or a one-hot vector."""
    return run_in_fork(lambda: count_classes(_labels(dataset, numbers), len(dataset)))


def _labels(dataset: Any, numbers: Sequence[int]) -> Iterator[np.ndarray | None]:
    size = 0
    for number in numbers:
        item = dataset[number]
        yield label_of(item)
        size += sum(tensor.nbytes for _, tensor in tensors_of(item))
        if size > BYTES:
            return


def count_classes(labels: Iterable[np.ndarray | None], total: int) -> ClassLabels | None:
    """None where there is no label, or one that is neither a whole number nor a vector of 0 and 1."""
    counts: Counter[int] = Counter()
    one_hot = read = width = 0
    whole = True
    for label in labels:
        if label is None:
            return None
        whole = whole and label.dtype.kind in "iub"
        if label.ndim:
            width, one_hot = label.size, one_hot + int((label == 1).sum() == 1 and (label == 0).sum() == label.size - 1)
            counts[int(label.argmax())] += 1
        else:
            counts[int(label)] += 1
        read += 1
    return ClassLabels(read, total, dict(counts), one_hot, width, whole) if read else None


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
