from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import SEQUENCES, first_labels, with_labels


@change_fault(
    with_labels,
    "labels are filled up in front",
    "LAB033",
    lambda f: bool((first_labels(f)[:, 0] == -100).any()),
    SEQUENCES,
)
def labels_padded_on_the_left(labels: Any) -> Any:
    import torch

    return torch.stack([torch.cat([row[row == -100], row[row != -100]]) for row in labels])
