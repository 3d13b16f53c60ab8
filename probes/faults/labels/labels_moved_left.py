from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import labels_changed, with_target_rows


def _lost(before: Any, after: Any) -> bool:
    """What was the second is the first."""
    return bool(before[0, 1] == after[0, 0] and before[0, 0] != after[0, 0])


@change_fault(
    with_target_rows,
    "the collator moves the labels to the left, and the model shifts as if it had not",
    "LAB010",
    lambda facts: labels_changed(facts, _lost),
    ("e2e", "hybrid", "mt5"),
)
def labels_moved_left(ids: list[int]) -> list[int]:
    return ids[1:]
