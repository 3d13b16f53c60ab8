from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import Facts, collate_rows, with_batches


def _double(tensor: Any) -> Any:
    return tensor.double() if tensor.is_floating_point() else tensor


def _is_double(facts: Facts) -> bool:
    batch = collate_rows(facts, 0, 1)
    return any("float64" in str(one.dtype) for one in (batch.values() if isinstance(batch, dict) else batch))


@change_fault(
    with_batches,
    "features are numpy's float64",
    "PLC004",
    _is_double,
    ("whisper", "e2e", "hybrid", "classifier"),
)
def features_in_double(batch: Any) -> Any:
    if isinstance(batch, dict):
        return {name: _double(one) for name, one in batch.items()}
    return [_double(one) for one in batch]
