from diagnose import fault
from probes.faults.kit.changes import Facts, by_row, labels_changed, with_targets


def _lost(facts: Facts) -> bool:
    """What was the second is the first."""
    return labels_changed(facts, lambda before, after: before[0, 1] == after[0, 0] and before[0, 0] != after[0, 0])


@fault(
    "the collator moves the labels to the left, and the model shifts as if it had not",
    "LAB010",
    _lost,
    ("e2e", "hybrid", "mt5"),
)
def labels_moved_left(facts: Facts) -> Facts:
    return with_targets(facts, lambda labels: by_row(labels, lambda ids: ids[1:]))
