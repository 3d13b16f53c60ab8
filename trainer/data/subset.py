"""How many rows of each split a shortened run uses."""

from typing import TypeAlias

Subset: TypeAlias = int | tuple[int, int] | None  # of every split; or of train, and of each of the others; None: all


def rows_of_split(subset: Subset, split: str) -> int | None:
    """The number of rows to use of `train`, `dev` or `test`."""
    return subset[split != "train"] if isinstance(subset, tuple) else subset


def subset_text(subset: Subset) -> str:
    """As --subset takes it."""
    return ",".join(map(str, subset)) if isinstance(subset, tuple) else str(subset)
