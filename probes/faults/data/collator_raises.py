"""A collator that raises."""

from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches


def _ragged(batch: Any) -> Any:
    raise ValueError("expected sequence of length 12 at dim 1 (got 9)")


def _raises(facts: Facts) -> bool:
    try:
        facts["collate"]([facts["train_dataset"][0]])
    except ValueError:
        return True
    return False


@fault("the collator cannot stack rows of different length", "DAT003", _raises)
def collator_raises(facts: Facts) -> Facts:
    return with_batches(facts, _ragged)
