from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import own_steps_of, with_own_step


def _step(model: Any, optimizer: Any, loss: Any) -> None:
    import torch

    torch.autocast("cpu", dtype=torch.bfloat16).__enter__()  # and never left
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()


def _is_on() -> bool:
    import torch

    return torch.is_autocast_enabled("cpu")


@fault(
    "autocast is entered by the training step and never left",
    "GRD016",
    lambda facts: own_steps_of(facts, _is_on) is True,
)
def autocast_left_on(facts: Facts) -> Facts:
    return with_own_step(facts, _step)
