from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import norm_of, own_steps_of, with_own_step


def _step(model: Any, optimizer: Any, loss: Any) -> None:
    loss().backward()
    optimizer.step()


@fault(
    "zero_grad is missing from the training step",
    "GRD013",
    lambda facts: bool(own_steps_of(facts, lambda: norm_of(facts))),
)
def gradients_not_cleared(facts: Facts) -> Facts:
    return with_own_step(facts, _step)
