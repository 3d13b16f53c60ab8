"""Small arithmetic: entropy of labels, numbers spread evenly, values as arrays."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Rows = Sequence[Sequence[int]]


def unigram_entropy(rows: Rows) -> float | None:
    """Entropy of the label frequencies: neither the input nor the labels before are known."""
    return entropy(Counter(token for row in rows for token in row))


def entropy(counts: Counter[int]) -> float | None:
    total = counts.total()
    return -sum(n / total * math.log(n / total) for n in counts.values()) if total else None


def evenly_spaced(numbers: Sequence[int], count: int) -> list[int]:
    """`count` of the numbers, from the first to the last, at equal distances."""
    if count >= len(numbers):
        return list(numbers)
    return [numbers[round(k * (len(numbers) - 1) / max(1, count - 1))] for k in range(count)]


def as_array(value: Any) -> np.ndarray | None:
    """None for text, mappings and what numpy refuses."""
    if value is None or isinstance(value, str | bytes | Mapping):
        return None
    try:
        return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    except Exception:  # whatever a dataset may hold
        return None
