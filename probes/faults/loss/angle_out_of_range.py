from typing import Any

from probes.faults.kit.nonfinite_values import nonfinite_fault


@nonfinite_fault("acos is taken of 2", "LOS060")
def angle_out_of_range(hidden: Any) -> Any:
    return hidden + (hidden * 0 + 2).acos()
