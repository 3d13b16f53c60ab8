import random
from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, with_dataset

TARGETS = ("transcript", "translation", "summary")


class ShiftedTargets:
    """Items in an order of chance, in which a text says nothing of the next one; each has the text of the one after."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.order = random.Random(0).sample(range(len(dataset)), len(dataset))

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, index: int) -> Any:
        following = self.dataset[self.order[(index + 1) % len(self)]]
        return {**self.dataset[self.order[index]], **_texts(following)}


def _texts(item: Any) -> dict[str, str]:
    return {name: item[name] for name in TARGETS if name in item}


def _are_shifted(facts: Facts) -> bool:
    data = facts["train_dataset"]
    if not isinstance(data, ShiftedTargets):
        return False
    own = [data.dataset[row] for row in data.order[:8]]
    return sum(_texts(data[number]) != _texts(item) for number, item in enumerate(own)) > len(own) // 2


@fault("every target belongs to the input of the row after its own", "LRN030", _are_shifted, SEQUENCES)
def targets_slipped_by_a_row(facts: Facts) -> Facts:
    return with_dataset(facts, ShiftedTargets(facts["train_dataset"]))
