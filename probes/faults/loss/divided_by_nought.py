from typing import Any

from probes.faults.kit.nonfinite_values import nonfinite_fault


@nonfinite_fault("rows are divided by a deviation of 0", "LOS054")
def divided_by_nought(hidden: Any) -> Any:
    return hidden / (hidden - hidden)
