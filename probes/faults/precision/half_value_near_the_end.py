from typing import Any

from probes.faults.kit.fp16_values import fp16_fault, scale_to


@fp16_fault("a value comes near to what fp16 holds", "PRE008", finite=True)
def half_value_near_the_end(hidden: Any) -> Any:
    return scale_to(hidden, 2e4)
