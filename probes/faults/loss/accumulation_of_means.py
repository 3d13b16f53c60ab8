from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, label_key
from probes.faults.kit.gradient_changes import at_update, with_accumulated_step


def _weighs_batches_alike(facts: Facts) -> bool:
    """One row beside three: their gradient together is nearer to the plain mean than to that by labels."""
    if "accumulated_step" not in facts:
        return False
    rows = [facts["train_dataset"][number] for number in range(4)]
    parts = [facts["collate"](rows[:1]), facts["collate"](rows[1:])]
    first, rest, both = (at_update(facts, part, lambda: _gradient(facts)) for part in (parts[:1], parts[1:], parts))
    counts = [int((batch[label_key(batch)] >= 0).sum()) for batch in parts]
    by_labels = (counts[0] * first + counts[1] * rest) / sum(counts)
    return bool((both - (first + rest) / 2).norm() < (both - by_labels).norm())


def _gradient(facts: Facts) -> Any:
    import torch

    weights = list(facts["model"].parameters())
    return torch.cat([(torch.zeros_like(one) if one.grad is None else one.grad).flatten() for one in weights])


@fault(
    "an accumulated step takes the mean of its batches' means, whatever number of labels each has",
    "LOS013",
    _weighs_batches_alike,
    SEQUENCES,
    note=True,
)
def accumulation_of_means(facts: Facts) -> Facts:
    return with_accumulated_step(facts, lambda batches: 1 / batches)
