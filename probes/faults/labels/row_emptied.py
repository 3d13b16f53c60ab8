from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_targets


def _row_emptied(labels: Any) -> Any:
    labels = labels.clone()
    labels[-1] = -100
    return labels


@fault(
    "the last row of every batch is masked whole",
    "LAB003",
    lambda f: bool((first_labels(f)[-1] == -100).all()),
    SEQUENCES,
)
def row_emptied(facts: Facts) -> Facts:
    return with_targets(facts, _row_emptied)
