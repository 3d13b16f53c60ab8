from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.gradient_changes import own_step_of, with_own_step


def _is_on() -> bool:
    import torch

    return torch.is_autocast_enabled("cpu")


@change_fault(
    with_own_step,
    "autocast is entered by the training step and never left",
    "GRD016",
    lambda facts: own_step_of(facts, _is_on) is True,
)
def autocast_left_on(model: Any, optimizer: Any, loss: Any) -> None:
    import torch

    torch.autocast("cpu", dtype=torch.bfloat16).__enter__()  # and never left
    optimizer.zero_grad()
    loss().backward()
    optimizer.step()
