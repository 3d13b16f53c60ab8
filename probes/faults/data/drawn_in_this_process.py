import pickle
import threading
from typing import Any

from diagnose import fault
from probes.faults.kit.change_faults import raises
from probes.faults.kit.changes import SEQUENCES, Facts, batch_of, with_batches


class BatchWithLock(dict):
    """A batch that holds a lock, as those of some streaming loaders do: no other process can be given it."""

    def __init__(self, batch: Any) -> None:
        super().__init__(batch)
        self.lock = threading.Lock()


@fault(
    "batches cannot be handed over from a child",
    "DAT004",
    lambda facts: raises(lambda: pickle.dumps(batch_of(facts)), TypeError),
    SEQUENCES,
)
def drawn_in_this_process(facts: Facts) -> Facts:
    return with_batches(facts, BatchWithLock)
