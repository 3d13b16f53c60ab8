from typing import Any

from diagnose import fault
from probes.faults.kit.change_faults import raises
from probes.faults.kit.changes import SPEECH, Facts, collate_rows
from probes.faults.kit.item_changes import with_items


def _raise(number: int, item: Any) -> Any:
    if number % 8 == 3:
        raise OSError("the disk is gone")
    return item


@fault(
    "the dataset raises at every eighth row", "DAT022", lambda f: raises(lambda: f["train_dataset"][3], OSError), SPEECH
)
def item_raises(facts: Facts) -> Facts:
    return {**with_items(facts, _raise), "train_batches": [collate_rows(facts, 0, 1, 2, 4)]}
