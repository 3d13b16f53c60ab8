"""Faults of datasets, collators and loaders."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.changes import Facts, loader


def with_items(facts: Facts, change: Callable[[int, Any], Any], **how: Any) -> Facts:
    """The facts with a dataset whose items were changed, and a loader over it."""
    inner = facts["train_dataset"]

    class Changed:
        def __len__(self) -> int:
            return len(inner)

        def __getitem__(self, number: int) -> Any:
            return change(number, inner[number])

    dataset: Any = Changed()
    return {**facts, "train_dataset": dataset, "train_batches": loader(facts, dataset, **how)}


def audio_of(facts: Facts, number: int = 0) -> Any:
    return facts["train_dataset"][number]["audio"]


def with_noise(facts: Facts, workers: int) -> Facts:
    import numpy as np

    chance = np.random.default_rng(0)

    def change(_: int, item: Any) -> Any:
        noise = chance.normal(0, 0.01, len(item["audio"])).astype("float32")
        return {**item, "audio": item["audio"] + noise}

    return with_items(facts, change, num_workers=workers)
