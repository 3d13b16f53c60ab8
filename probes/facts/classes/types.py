"""Types for class labels and for columns that name classes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST = 20  # classes in a summary


@dataclass(frozen=True)
class ClassLabels:
    """The classes of the items that were read. `one_hot`: items whose label is a vector with a single 1."""

    read: int
    total: int
    counts: Mapping[int, int] = field(default_factory=dict)
    one_hot: int = 0
    width: int = 0  # of such vectors
    whole: bool = True  # they are whole numbers, not floats
    head: int | None = None  # classes that the model's last layer has
    head_name: str = ""

    def summary(self) -> dict[str, Any]:
        """How many rows have each class, the most frequent first."""
        counts = sorted(self.counts.items(), key=lambda item: -item[1])
        return {"read": self.read, "total": self.total, "classes": len(counts), "counts": dict(counts[:MOST])}


@dataclass(frozen=True)
class ColumnBalance:
    """How many rows each value of a column has."""

    column: str
    counts: Mapping[str, int]
    classes: bool  # the column holds targets, not sources of the rows
