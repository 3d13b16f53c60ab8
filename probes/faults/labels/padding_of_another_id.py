from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import SEQUENCES, first_labels, with_targets

OTHER = 7


@change_fault(
    with_targets,
    "the collator fills labels with an id that is neither -100 nor the padding token",
    "LAB005",
    lambda facts: bool((first_labels(facts)[:, -1] == OTHER).any()),
    SEQUENCES,
)
def padding_of_another_id(labels: Any) -> Any:
    return labels.masked_fill(labels == -100, OTHER)
