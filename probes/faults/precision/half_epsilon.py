from typing import Any

from probes.faults.kit.fp16_values import fp16_fault


@fp16_fault("rows are divided by a size with an eps of 1e-8", "PRE006")
def half_epsilon(hidden: Any) -> Any:
    return hidden + (hidden * 0) / ((hidden * 0).abs() + 1e-8)
