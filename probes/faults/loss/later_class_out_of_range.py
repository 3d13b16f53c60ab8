from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import CLASSIFIER
from probes.faults.kit.later_batches import last_differs, with_last_batch

BEYOND = 1000


@change_fault(
    with_last_batch,
    "a later batch holds a class that the model does not have",
    "LOS017",
    lambda facts: last_differs(facts, lambda batch: int(batch[1].max()) == BEYOND),
    CLASSIFIER,
)
def later_class_out_of_range(batch: Any) -> Any:
    batch[1][-1] = BEYOND
    return batch
