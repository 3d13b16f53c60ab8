from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import backward_of, change_front_output
from probes.faults.kit.model_parts import front_of


def _is_nan(facts: Facts) -> bool:
    return any(bool(weight.grad.isnan().any()) for weight in front_of(facts).parameters() if weight.grad is not None)


@change_fault(
    change_front_output,
    "a square root is taken of 0: the loss is finite, and the slope is not",
    "LOS055",
    lambda facts: backward_of(facts, lambda: _is_nan(facts)),
)
def root_of_nought(hidden: Any) -> Any:
    return hidden + (hidden - hidden).sqrt()
