from typing import Any

from diagnose import fault
from probes.faults.anatomy import front_of
from probes.faults.changes import Facts
from probes.faults.gradient_changes import hooked


def _soft_limit() -> Any:
    """100 tanh(x / 100), with a backward pass that forgot a half."""
    import torch

    class SoftLimit(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, values: Any) -> Any:
            ratio = torch.tanh(values / 100)
            ctx.save_for_backward(ratio)
            return 100 * ratio

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            (ratio,) = ctx.saved_tensors
            return 2 * gradients[0] * (1 - ratio.square())

    return SoftLimit.apply


@fault(
    id="backward_times_two",
    breaks="a hand-written backward pass is twice the slope of its forward pass",
    named_by="GRD021",
    proof=lambda facts: bool(front_of(facts)._forward_hooks),
)
def backward_times_two(facts: Facts) -> Facts:
    return hooked(facts, _soft_limit())
