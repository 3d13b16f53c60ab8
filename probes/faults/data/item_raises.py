from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.item_changes import with_items


def _raise(number: int, item: Any) -> Any:
    if number % 8 == 3:
        raise OSError("the disk is gone")
    return item


def _raises(facts: Facts) -> bool:
    try:
        facts["train_dataset"][3]
    except OSError:
        return True
    return False


@fault("the dataset raises at every eighth row", "DAT022", _raises, ("whisper", "e2e", "hybrid"))
def item_raises(facts: Facts) -> Facts:
    broken = with_items(facts, _raise)
    return {**broken, "train_batches": [facts["collate"]([facts["train_dataset"][n] for n in (0, 1, 2, 4)])]}
