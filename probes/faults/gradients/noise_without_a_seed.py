from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import hook_output
from probes.faults.kit.gradient_changes import backward_of
from probes.faults.kit.model_parts import decoder_of


def _noisy(hidden: Any) -> Any:
    import numpy as np
    import torch

    noise = np.random.default_rng().normal(0, 0.1, hidden.shape)
    return hidden + torch.from_numpy(noise).to(hidden)


def _gradients(facts: Facts) -> list[Any]:
    import torch

    torch.manual_seed(0)
    weights = facts["model"].parameters()
    return backward_of(facts, lambda: [weight.grad.clone() for weight in weights if weight.grad is not None])


def _differs(facts: Facts) -> bool:
    import torch

    with torch.random.fork_rng(devices=[]):
        pairs = zip(_gradients(facts), _gradients(facts), strict=True)
    return not all(torch.equal(one, other) for one, other in pairs)


@fault(
    "noise is drawn from a generator that is created without a seed in every forward pass",
    "GRD020",
    lambda facts: bool(decoder_of(facts)._forward_hooks) and _differs(facts),
)
def noise_without_a_seed(facts: Facts) -> Facts:
    decoder = decoder_of(facts)
    hook_output(decoder, lambda hidden: _noisy(hidden) if decoder.training else hidden)
    return facts
