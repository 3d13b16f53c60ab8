"""Entropy of labels: what a model that ignores its input can reach."""

import math
from collections import Counter
from collections.abc import Sequence

Rows = Sequence[Sequence[int]]


def unigram_entropy(rows: Rows) -> float | None:
    """Entropy of the label frequencies: neither the input nor the labels before are known."""
    return entropy(Counter(token for row in rows for token in row))


def entropy(counts: Counter[int]) -> float | None:
    total = counts.total()
    return -sum(n / total * math.log(n / total) for n in counts.values()) if total else None
