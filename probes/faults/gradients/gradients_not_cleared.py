from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.gradient_changes import norm_of, own_step_of, with_own_step


@change_fault(
    with_own_step,
    "zero_grad is missing from the training step",
    "GRD013",
    lambda facts: bool(own_step_of(facts, lambda: norm_of(facts))),
)
def gradients_not_cleared(model: Any, optimizer: Any, loss: Any) -> None:
    loss().backward()
    optimizer.step()
