from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import norm_of, own_steps_of, with_own_step


def _step(model: Any, optimizer: Any, loss: Any) -> None:
    loss().backward()
    optimizer.step()


@fault(
    id="gradients_not_cleared",
    description="zero_grad is missing from the training step",
    probe_id="GRD013",
    is_present=lambda facts: bool(own_steps_of(facts, lambda: norm_of(facts))),
)
def gradients_not_cleared(facts: Facts) -> Facts:
    return with_own_step(facts, _step)
