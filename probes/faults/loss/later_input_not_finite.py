from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.later_batches import last_differs, values_of, with_last_batch


def _has_nan(batch: Any) -> bool:
    return any(bool(value.isnan().any()) for value in values_of(batch))


@change_fault(
    with_last_batch,
    "one value of a later batch is NaN",
    "LOS050",
    lambda facts: last_differs(facts, _has_nan),
    ("whisper", "e2e", "hybrid", "classifier"),
)
def later_input_not_finite(batch: Any) -> Any:
    next(value for value in values_of(batch) if value.is_floating_point())[-1].view(-1)[0] = float("nan")
    return batch
