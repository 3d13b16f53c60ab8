from typing import Any

from probes.faults.kit.fp16_values import fp16_fault


@fp16_fault("a row is masked whole with -1e9, which float32 bears", "PRE007")
def half_mask_of_a_whole_row(hidden: Any) -> Any:
    return hidden + 0 * (hidden * 0).masked_fill(hidden == hidden, -1e9).softmax(-1)
