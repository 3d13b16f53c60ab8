from typing import Any

from probes.faults.kit.nonfinite_values import nonfinite_fault


@nonfinite_fault("a softmax is given a row of -inf alone", "LOS056")
def row_masked_whole(hidden: Any) -> Any:
    return hidden + (hidden * 0).masked_fill(hidden == hidden, float("-inf")).softmax(-1)
