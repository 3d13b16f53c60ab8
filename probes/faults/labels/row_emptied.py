from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import SEQUENCES, first_labels, with_targets


@change_fault(
    with_targets,
    "the last row of every batch is masked whole",
    "LAB003",
    lambda f: bool((first_labels(f)[-1] == -100).all()),
    SEQUENCES,
)
def row_emptied(labels: Any) -> Any:
    labels = labels.clone()
    labels[-1] = -100
    return labels
