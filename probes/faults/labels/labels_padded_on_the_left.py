from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


def _to_the_right(labels: Any) -> Any:
    import torch

    return torch.stack([torch.cat([row[row == -100], row[row != -100]]) for row in labels])


@fault("labels are filled up in front", "LAB033", lambda f: bool((first_labels(f)[:, 0] == -100).any()), SEQUENCES)
def labels_padded_on_the_left(facts: Facts) -> Facts:
    return with_labels(facts, _to_the_right)
