from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import norm_of, own_steps_of, with_own_step


def _step(model: Any, optimizer: Any, loss: Any) -> None:
    value = loss()
    optimizer.zero_grad()
    optimizer.step()
    value.backward()


@fault(
    "optimizer.step() stands before backward()",
    "GRD015",
    lambda facts: bool(own_steps_of(facts, lambda: norm_of(facts) and not facts["optimizer"].state)),
)
def update_before_backward(facts: Facts) -> Facts:
    return with_own_step(facts, _step)
