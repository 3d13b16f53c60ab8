from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches


def _spoilt(batch: Any) -> Any:
    values = list(batch.values()) if isinstance(batch, dict) else list(batch)
    next(value for value in values if value.is_floating_point()).view(-1)[0] = float("nan")
    return batch


@fault(
    "one value of the input is NaN",
    "LOS050",
    lambda facts: any(
        value.isnan().any()
        for batch in facts["train_batches"]
        for value in (batch.values() if isinstance(batch, dict) else batch)
    ),
    ("whisper", "e2e", "hybrid", "classifier"),
)
def input_not_finite(facts: Facts) -> Facts:
    return with_batches(facts, _spoilt)
