from typing import Any

from diagnose import fault
from probes.faults.changes import Facts, label_key


def _twice(batch: Any) -> Any:
    import torch

    return {key: torch.cat([value, value]) for key, value in batch.items()}


def _translated(items: Any) -> list[Any]:
    return [{**items[number], "translation": items[number]["transcript"][::-1]} for number in range(len(items))]


def _doubles(facts: Facts) -> bool:
    batch = facts["collate"]([facts["train_dataset"][0]])
    return len(batch[label_key(batch)]) == 2


@fault(
    id="halves_of_one_text",
    breaks="a collator for two tasks gives the transcript both times, and the translation never",
    named_by="LAB027",
    proof=_doubles,
    applies_to=("whisper", "e2e", "hybrid"),
)
def halves_of_one_text(facts: Facts) -> Facts:
    from torch.utils.data import DataLoader

    items: Any = _translated(facts["train_dataset"])

    def collate(rows: list[Any]) -> Any:
        return _twice(facts["collate"](rows))

    train, evaluation = (DataLoader(items, batch_size=4, shuffle=mixed, collate_fn=collate) for mixed in (True, False))
    return {**facts, "train_dataset": items, "collate": collate, "train_batches": train, "eval_batches": evaluation}
