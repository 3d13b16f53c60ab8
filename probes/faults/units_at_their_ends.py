from typing import Any

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.gradient_changes import activation_of


def _squashed(values: Any) -> Any:
    import torch

    return torch.tanh(values * 1e7)


def _activation(facts: Facts) -> Any:
    holder, name = activation_of(facts)
    return getattr(holder, name)


@fault(
    id="units_at_their_ends",
    breaks="an activation is a tanh of values that are ten million times too large",
    named_by="GRD008",
    proof=lambda facts: _activation(facts) is _squashed,
    applies_to=("whisper", "e2e", "hybrid", "mt5"),
)
def units_at_their_ends(facts: Facts) -> Facts:
    holder, name = activation_of(facts)
    delattr(holder, name)
    setattr(holder, name, _squashed)
    return facts
