"""Faults of features and of class labels."""

from typing import Any

from probes.faults.kit.changes import Facts

CLASSIFIER = ("classifier",)


def sets_of(facts: Facts) -> tuple[Any, Any]:
    return facts["train_dataset"].tensors


def with_classes(facts: Facts, labels: Any) -> Facts:
    from torch.utils.data import DataLoader, TensorDataset

    dataset = TensorDataset(sets_of(facts)[0], labels)
    return {**facts, "train_dataset": dataset, "train_batches": DataLoader(dataset, batch_size=4, shuffle=True)}
