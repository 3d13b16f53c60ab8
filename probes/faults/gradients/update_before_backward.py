from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.gradient_changes import norm_of, own_step_of, with_own_step


@change_fault(
    with_own_step,
    "optimizer.step() stands before backward()",
    "GRD015",
    lambda facts: bool(own_step_of(facts, lambda: norm_of(facts) and not facts["optimizer"].state)),
)
def update_before_backward(model: Any, optimizer: Any, loss: Any) -> None:
    value = loss()
    optimizer.zero_grad()
    optimizer.step()
    value.backward()
