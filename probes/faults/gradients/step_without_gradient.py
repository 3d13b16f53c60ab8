from typing import Any

from probes.faults.kit.change_faults import change_fault, raises
from probes.faults.kit.gradient_changes import own_step_of, with_own_step


@change_fault(
    with_own_step,
    "the training step runs under no_grad",
    "GRD019",
    lambda facts: raises(lambda: own_step_of(facts, lambda: None), RuntimeError),
)
def step_without_gradient(model: Any, optimizer: Any, loss: Any) -> None:
    import torch

    with torch.no_grad():
        value = loss()
    value.backward()
    optimizer.step()
