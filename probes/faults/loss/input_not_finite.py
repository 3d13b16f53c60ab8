from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import with_batches


def _values(batch: Any) -> list[Any]:
    return list(batch.values() if isinstance(batch, dict) else batch)


@change_fault(
    with_batches,
    "one value of the input is NaN",
    "LOS050",
    lambda facts: any(value.isnan().any() for batch in facts["train_batches"] for value in _values(batch)),
    ("whisper", "e2e", "hybrid", "classifier"),
)
def input_not_finite(batch: Any) -> Any:
    next(value for value in _values(batch) if value.is_floating_point()).view(-1)[0] = float("nan")
    return batch
