from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import own_steps_of, with_own_step


def _step(model: Any, optimizer: Any, loss: Any) -> None:
    optimizer.zero_grad()
    loss().backward()


@fault(
    "the training step never calls optimizer.step()",
    "GRD014",
    lambda facts: own_steps_of(facts, lambda: not facts["optimizer"].state) is True,
)
def update_forgotten(facts: Facts) -> Facts:
    return with_own_step(facts, _step)
