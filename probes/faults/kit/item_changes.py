"""Faults of datasets and their items, of features and class labels."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.changes import Facts, with_dataset


class ChangedItems:
    """A dataset whose items are change(number, item) of those of another."""

    def __init__(self, items: Any, change: Callable[[int, Any], Any]) -> None:
        self.items, self.change = items, change

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, number: int) -> Any:
        return self.change(number, self.items[number])


def with_items(facts: Facts, change: Callable[[int, Any], Any], **how: Any) -> Facts:
    """The facts with a dataset whose items were changed, and a loader over it."""
    return with_dataset(facts, ChangedItems(facts["train_dataset"], change), **how)


def audio_of(facts: Facts, number: int = 0) -> Any:
    return facts["train_dataset"][number]["audio"]


def with_noise(facts: Facts, workers: int) -> Facts:
    """The facts with noise in their audio, of a generator that the dataset holds."""
    import numpy as np

    generator = np.random.default_rng(0)

    def change(_: int, item: Any) -> Any:
        noise = generator.normal(0, 0.01, len(item["audio"])).astype("float32")
        return {**item, "audio": item["audio"] + noise}

    return with_items(facts, change, num_workers=workers)


def is_noisy(facts: Facts, workers: int) -> bool:
    """The same item twice is two different ones, in a loader with so many workers."""
    return getattr(facts["train_batches"], "num_workers", 0) == workers and (audio_of(facts) != audio_of(facts)).any()


def tensors_of(facts: Facts) -> tuple[Any, Any]:
    return facts["train_dataset"].tensors


def with_classes(facts: Facts, labels: Any) -> Facts:
    from torch.utils.data import TensorDataset

    return with_dataset(facts, TensorDataset(tensors_of(facts)[0], labels))
