import random
from typing import Any

from diagnose import fault
from probes.faults.changes import SEQUENCES, Facts, loader


class Slipped:
    """Items in an order of chance, in which a text says nothing of the next one; each has the text of the one after."""

    def __init__(self, dataset: Any, by: int = 1) -> None:
        self.dataset, self.by = dataset, by
        self.order = random.Random(0).sample(range(len(dataset)), len(dataset))

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, index: int) -> Any:
        following = self.dataset[self.order[(index + self.by) % len(self)]]
        return {**self.dataset[self.order[index]], "transcript": following["transcript"]}


def _slipped(facts: Facts) -> bool:
    data = facts["train_dataset"]
    if not isinstance(data, Slipped):
        return False
    own = [data.dataset[row]["transcript"] for row in data.order[:8]]
    return sum(data[number]["transcript"] != own[number] for number in range(len(own))) > len(own) // 2


@fault(
    id="targets_slipped_by_a_row",
    breaks="every target belongs to the input of the row after its own",
    named_by="LRN030",
    applies_to=SEQUENCES,
    proof=lambda facts: _slipped(facts),
)
def targets_slipped_by_a_row(facts: Facts) -> Facts:
    slipped: Any = Slipped(facts["train_dataset"])
    batches = loader(facts, slipped)
    return {**facts, "train_dataset": slipped, "train_batches": batches}
