from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.class_changes import CLASSIFIER


@fault(
    "evaluation scales its features, training does not",
    "DAT049",
    lambda f: next(iter(f["eval_batches"]))[0].std() > 4,
    CLASSIFIER,
)
def evaluation_scaled(facts: Facts) -> Facts:
    from torch.utils.data import DataLoader

    def collate(items: list[Any]) -> Any:
        x, y = facts["collate"](items)
        return [x * 5, y]

    return {**facts, "eval_batches": DataLoader(facts["train_dataset"], batch_size=4, collate_fn=collate)}
