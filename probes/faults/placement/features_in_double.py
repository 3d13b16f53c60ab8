from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches


def _double(batch: Any) -> Any:
    if isinstance(batch, dict):
        return {name: one.double() if one.is_floating_point() else one for name, one in batch.items()}
    return [one.double() if one.is_floating_point() else one for one in batch]


def _is_double(facts: Facts) -> bool:
    batch = facts["collate"]([facts["train_dataset"][number] for number in range(2)])
    return any("float64" in str(one.dtype) for one in (batch.values() if isinstance(batch, dict) else batch))


@fault("features are numpy's float64", "PLC004", _is_double, ("whisper", "e2e", "hybrid", "classifier"))
def features_in_double(facts: Facts) -> Facts:
    return with_batches(facts, _double)
