from typing import Any

from probes.faults.kit.fp16_values import born, up_to


@born("half_value_near_the_end", "a value comes near to what fp16 holds", "PRE008", bears=True)
def half_value_near_the_end(hidden: Any) -> Any:
    return up_to(hidden, 2e4)
