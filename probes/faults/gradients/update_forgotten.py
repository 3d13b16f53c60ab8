from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.gradient_changes import own_step_of, with_own_step


@change_fault(
    with_own_step,
    "the training step never calls optimizer.step()",
    "GRD014",
    lambda facts: own_step_of(facts, lambda: not facts["optimizer"].state) is True,
)
def update_forgotten(model: Any, optimizer: Any, loss: Any) -> None:
    optimizer.zero_grad()
    loss().backward()
