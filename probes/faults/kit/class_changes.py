"""Faults of features and of class labels."""

from typing import Any

from probes.faults.kit.changes import Facts, with_dataset


def tensors_of(facts: Facts) -> tuple[Any, Any]:
    return facts["train_dataset"].tensors


def with_classes(facts: Facts, labels: Any) -> Facts:
    from torch.utils.data import TensorDataset

    return with_dataset(facts, TensorDataset(tensors_of(facts)[0], labels))
