from typing import Any

from probes.faults.kit.change_faults import change_fault, raises
from probes.faults.kit.changes import collate_rows, with_batches


@change_fault(
    with_batches,
    "the collator cannot stack rows of different length",
    "DAT003",
    lambda facts: raises(lambda: collate_rows(facts, 0), ValueError),
)
def collator_raises(batch: Any) -> Any:
    raise ValueError("expected sequence of length 12 at dim 1 (got 9)")
