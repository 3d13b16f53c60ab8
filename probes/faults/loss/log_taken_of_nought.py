from typing import Any

from probes.faults.kit.nonfinite_values import nonfinite_fault


@nonfinite_fault("a logarithm is taken of 0", "LOS053")
def log_taken_of_nought(hidden: Any) -> Any:
    return hidden - (hidden * 0).log()
