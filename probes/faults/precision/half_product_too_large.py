from typing import Any

from probes.faults.kit.fp16_values import fp16_fault, scale_to


@fp16_fault("a product passes what fp16 holds", "PRE001")
def half_product_too_large(hidden: Any) -> Any:
    return scale_to(hidden, 1e6)
