from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import loss_of
from probes.faults.kit.loss_changes import flat, in_mode, with_loss


def _loss_varies(facts: Facts) -> bool:
    """The loss of the same rows at the same weights is another each time."""
    import torch

    with in_mode(facts, training=False), torch.no_grad():
        return len({round(float(loss_of(facts)), 6) for _ in range(8)}) > 1


@change_fault(with_loss, "the loss shuffles the labels in every step, left over from a trial", "LRN010", _loss_varies)
def labels_drawn_anew(scores: Any, labels: Any) -> Any:
    """Every label that is scored goes to another place, each time another one."""
    import torch
    from torch.nn.functional import cross_entropy

    scores, labels = flat(scores, labels)
    scores, labels = scores[labels >= 0], labels[labels >= 0]
    return cross_entropy(scores, labels[torch.randperm(len(labels))])
