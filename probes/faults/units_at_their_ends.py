from typing import Any

from diagnose import fault
from probes.faults.anatomy import activation_of
from probes.faults.changes import Facts


def _squashed() -> Any:
    import torch

    class Squashed(torch.nn.Module):
        def forward(self, values: Any) -> Any:
            return torch.tanh(values * 1e7)

    return Squashed()


@fault(
    id="units_at_their_ends",
    breaks="an activation is a tanh of values that are ten million times too large",
    named_by="GRD008",
    proof=lambda facts: any(type(part).__name__ == "Squashed" for part in facts["model"].modules()),
    applies_to=("whisper", "e2e", "hybrid", "mt5"),
)
def units_at_their_ends(facts: Facts) -> Facts:
    holder, name = activation_of(facts)
    if name not in holder._modules:  # a plain function would stand before the module of its name
        delattr(holder, name)
    setattr(holder, name, _squashed())
    return facts
