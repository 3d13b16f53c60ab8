from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import last_hook
from probes.faults.kit.gradient_changes import change_front_output
from probes.faults.kit.model_parts import front_of


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


def _twice_its_slope(facts: Facts) -> bool:
    import torch

    change, at, step = last_hook(front_of(facts)), torch.ones(1, requires_grad=True), 0.1
    if change is None or not front_of(facts).training:
        return False
    change(at).backward()
    slope = float(change(at.detach() + step) - change(at.detach() - step)) / (2 * step)
    return at.grad is not None and abs(float(at.grad) / slope - 2) < 0.1


@fault("a hand-written backward pass is twice the slope of its forward pass", "GRD021", _twice_its_slope)
def backward_times_two(facts: Facts) -> Facts:
    return change_front_output(facts, _soft_limit())
