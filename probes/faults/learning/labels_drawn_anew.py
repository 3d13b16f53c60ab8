from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, loss_of
from probes.faults.kit.loss_changes import flat, with_loss


def _shuffled(scores: Any, labels: Any) -> Any:
    """Every label that is scored goes to another place, each time another one."""
    import torch
    from torch.nn.functional import cross_entropy

    scores, labels = flat(scores, labels)
    scores, labels = scores[labels >= 0], labels[labels >= 0]
    return cross_entropy(scores, labels[torch.randperm(len(labels))])


def _wavers(facts: Facts) -> bool:
    """The loss of the same rows at the same weights is another each time."""
    import torch

    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]), torch.no_grad():
        facts["model"].eval()
        return len({round(float(loss_of(facts)), 6) for _ in range(8)}) > 1


@fault("the loss shuffles the labels in every step, left over from a trial", "LRN010", _wavers)
def labels_drawn_anew(facts: Facts) -> Facts:
    return with_loss(facts, _shuffled)
