import threading
from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, batch_of, with_batches


class Unpicklable(dict):
    """A batch that holds a lock, as those of some streaming loaders do: no other process can be given it."""

    def __init__(self, batch: Any) -> None:
        super().__init__(batch)
        self.lock = threading.Lock()


def _tied(facts: Facts) -> bool:
    import pickle

    try:
        pickle.dumps(batch_of(facts))
    except TypeError:
        return True
    return False


@fault("batches cannot be handed over from a child", "DAT004", _tied, ("whisper", "e2e", "hybrid", "mt5"))
def drawn_in_this_process(facts: Facts) -> Facts:
    return with_batches(facts, Unpicklable)
