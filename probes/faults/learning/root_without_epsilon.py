from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import with_loss_value

MARGIN = 0.8  # every subject begins above it, and is below it when it knows its rows


def penalized(loss: Any, _: Any = None) -> Any:
    """The root of zero has an infinite slope, and infinity times zero is NaN. Small, so that only its slope matters."""
    excess = (loss - MARGIN) * (loss.detach() > MARGIN)
    return loss + 1e-3 * excess.square().sqrt()


def _has_nan_below_the_margin(facts: Facts) -> bool:
    import torch

    from probes.facts.core.model_output import loss_of_output

    loss = facts.get("compute_loss", loss_of_output)
    small = torch.tensor(MARGIN / 2, requires_grad=True)
    value = getattr(loss, "penalty", lambda one: one)(small)
    value.backward()
    return small.grad is not None and bool(small.grad.isnan())


@fault(
    "a penalty is the norm of what the loss exceeds a margin by, without an epsilon",
    "LRN013",
    _has_nan_below_the_margin,
)
def root_without_epsilon(facts: Facts) -> Facts:
    changed = with_loss_value(facts, penalized)
    changed["compute_loss"].penalty = penalized
    return changed
