from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, loader
from probes.faults.kit.item_changes import with_items


def _makes_nan(facts: Facts) -> bool:
    item = facts["train_dataset"][0]
    return bool(facts["collate"]([{**item, "audio": item["audio"] * 0}])["input_values"].isnan().any())


@fault("the collator divides by the plain standard deviation", "DAT019", _makes_nan, ("e2e",))
def normaliser_without_eps(facts: Facts) -> Facts:
    def collate(items: list[Any]) -> Any:
        batch = facts["collate"](items)
        for number, row in enumerate(batch["input_values"]):  # an item may come once for each task
            row *= 1.0 if items[number % len(items)]["audio"].any() else float("nan")  # what 0 / 0 gives
        return batch

    silent = with_items(facts, lambda number, item: {**item, "audio": item["audio"] * (number != 3)})
    return {**silent, "collate": collate, "train_batches": loader(silent, collate=collate)}
