from typing import Any

from probes.faults.kit.nonfinite_values import nonfinite_fault


@nonfinite_fault("a product passes what float32 holds", "LOS052")
def product_too_large(hidden: Any) -> Any:
    return hidden * 1e20 * 1e20
