from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.gradient_changes import norm_of, own_step_of, with_own_step


@change_fault(
    with_own_step,
    "zero_grad stands between backward() and optimizer.step()",
    "GRD015",
    lambda facts: own_step_of(facts, lambda: not norm_of(facts) and not facts["optimizer"].state) is True,
)
def cleared_before_update(model: Any, optimizer: Any, loss: Any) -> None:
    loss().backward()
    optimizer.zero_grad()
    optimizer.step()
