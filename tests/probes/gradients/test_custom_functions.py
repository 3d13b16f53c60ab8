"""Hand-written autograd functions: their backward is compared with differences of their forward."""

import pytest
import torch
from torch import nn

from probes.faults.kit.forward_changes import hook_output
from probes.healthy import healthy
from tests.probes.gradients.support import Between, classifying, look, told


def function(forward, backward):
    def keep(ctx, x):
        ctx.save_for_backward(x)
        return forward(x)

    def back(ctx, gradient):
        return backward(ctx.saved_tensors[0], gradient)

    return type("Own", (torch.autograd.Function,), {"forward": staticmethod(keep), "backward": staticmethod(back)})


FUNCTIONS = {
    "square": (lambda x: x * x, lambda x, g: 2 * x * g, None),
    "square, half of it": (lambda x: x * x, lambda x, g: x * g, "error"),
    "swish without its second term": (lambda x: x * x.sigmoid(), lambda x, g: g * x.sigmoid(), "error"),
    "centred, without the mean's own part": (lambda x: x - x.mean(-1, keepdim=True), lambda x, g: g, "error"),
    "relu": (lambda x: x.relu(), lambda x, g: g * (x > 0), None),
    "clamp": (lambda x: x.clamp(-0.2, 0.2), lambda x, g: g * (x.abs() < 0.2), None),
    "float32 inside": (lambda x: (x.float() ** 2).to(x.dtype), lambda x, g: 2 * x * g, None),
    "reversal": (lambda x: x.clone(), lambda x, g: -0.1 * g, "note"),
    "rounding, straight through": (lambda x: x.round(), lambda x, g: g, "note"),
    "clamp, straight through": (lambda x: x.clamp(-0.2, 0.2), lambda x, g: g, "note"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_hand_written_backward_is_held_against_differences(name):
    forward, backward, severity = FUNCTIONS[name]
    own = function(forward, backward)
    usual_forward = own.forward
    facts = healthy("classifier")
    hook_output(facts["model"][0], own.apply)
    assert told(look(facts)) == ([("GRD021", severity)] if severity else [])
    assert own.forward is usual_forward


def test_checkpointing_is_no_hand_written_function():
    class Saving(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(24, 24)

        def forward(self, x):
            return torch.utils.checkpoint.checkpoint(self.inner, x, use_reentrant=True)

    assert not look(classifying(Between(Saving()))).findings
