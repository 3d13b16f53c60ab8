from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import own_steps_of, with_own_step


def _step(model: Any, optimizer: Any, loss: Any) -> None:
    import torch

    with torch.no_grad():
        value = loss()
    value.backward()
    optimizer.step()


def _raises(facts: Facts) -> bool:
    try:
        own_steps_of(facts, lambda: None)
    except RuntimeError:
        return True
    return False


@fault("the training step runs under no_grad", "GRD019", _raises)
def step_without_gradient(facts: Facts) -> Facts:
    return with_own_step(facts, _step)
