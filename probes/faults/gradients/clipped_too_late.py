from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import norm_of, own_steps_of, with_own_step

LIMIT = 1e-3


def _step(model: Any, optimizer: Any, loss: Any) -> None:
    from torch.nn.utils import clip_grad_norm_

    optimizer.zero_grad()
    loss().backward()
    optimizer.step()
    clip_grad_norm_(model.parameters(), LIMIT)


@fault(
    "gradients are clipped after the update",
    "GRD017",
    lambda facts: 0 < (own_steps_of(facts, lambda: norm_of(facts)) or 0) < 1.01 * LIMIT,
)
def clipped_too_late(facts: Facts) -> Facts:
    return with_own_step(facts, _step)
