from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import norm_of, own_steps_of, with_own_step


def _step(model: Any, optimizer: Any, loss: Any) -> None:
    loss().backward()
    optimizer.zero_grad()
    optimizer.step()


@fault(
    "zero_grad stands between backward() and optimizer.step()",
    "GRD015",
    lambda facts: own_steps_of(facts, lambda: not norm_of(facts) and not facts["optimizer"].state) is True,
)
def cleared_before_update(facts: Facts) -> Facts:
    return with_own_step(facts, _step)
