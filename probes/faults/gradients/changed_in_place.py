from typing import Any

from probes.faults.kit.change_faults import change_fault, raises
from probes.faults.kit.gradient_changes import backward_of, change_front_output


@change_fault(
    change_front_output,
    "what the backward pass needs is overwritten in place",
    "GRD003",
    lambda facts: raises(lambda: backward_of(facts, lambda: None), RuntimeError, "inplace"),
)
def changed_in_place(hidden: Any) -> Any:
    powers = hidden.exp()
    result = powers.log()
    powers.mul_(0.0)
    return result
