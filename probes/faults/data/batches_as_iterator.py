from collections.abc import Iterator

from diagnose import fault
from probes.faults.kit.changes import Facts


@fault("the batches are an iterator", "DAT056", lambda facts: isinstance(facts["train_batches"], Iterator))
def batches_as_iterator(facts: Facts) -> Facts:
    return {**facts, "train_batches": iter(list(facts["train_batches"]))}
