from importlib import import_module
from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, loader


class Undecodable:
    """A dataset that decodes with a package which is not there."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, number: int) -> Any:
        import_module("decoder_that_nobody_installed")
        return self.dataset[number]


@fault(
    "the dataset decodes with a package that is not installed",
    "ENV004",
    lambda facts: isinstance(facts["train_dataset"], Undecodable),
)
def decoder_not_installed(facts: Facts) -> Facts:
    dataset: Any = Undecodable(facts["train_dataset"])
    batches = loader(facts, dataset)
    return {**facts, "train_dataset": dataset, "train_batches": batches}
