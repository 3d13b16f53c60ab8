from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.gradient_changes import norm_of, own_step_of, with_own_step

LIMIT = 1e-3


@change_fault(
    with_own_step,
    "gradients are clipped after the update",
    "GRD017",
    lambda facts: 0 < (own_step_of(facts, lambda: norm_of(facts)) or 0) < 1.01 * LIMIT,
)
def clipped_too_late(model: Any, optimizer: Any, loss: Any) -> None:
    from torch.nn.utils import clip_grad_norm_

    optimizer.zero_grad()
    loss().backward()
    optimizer.step()
    clip_grad_norm_(model.parameters(), LIMIT)
