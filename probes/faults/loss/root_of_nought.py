from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import backward_of, hooked
from probes.faults.kit.model_parts import front_of


def _rooted(hidden: Any) -> Any:
    return hidden + (hidden - hidden).sqrt()


def _is_nan(facts: Facts) -> bool:
    return any(bool(weight.grad.isnan().any()) for weight in front_of(facts).parameters() if weight.grad is not None)


@fault(
    "a square root is taken of 0: the loss is finite, and the slope is not",
    "LOS055",
    lambda facts: backward_of(facts, lambda: _is_nan(facts)),
)
def root_of_nought(facts: Facts) -> Facts:
    return hooked(facts, _rooted)
