from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.model_parts import activation_of


def _steep_tanh(values: Any) -> Any:
    import torch

    return torch.tanh(values * 1e7)


def _module() -> Any:
    from torch.nn import Tanh

    class SaturatedTanh(Tanh):
        def forward(self, values: Any) -> Any:
            return super().forward(values * 1e7)

    return SaturatedTanh()


def _is_steep(facts: Facts) -> bool:
    parts = facts["model"].modules()
    return any(type(part).__name__ == "SaturatedTanh" or _steep_tanh in vars(part).values() for part in parts)


@fault(
    "an activation is a tanh of values that are ten million times too large",
    "GRD008",
    _is_steep,
    SEQUENCES,
)
def units_at_their_ends(facts: Facts) -> Facts:
    holder, name = activation_of(facts)
    setattr(holder, name, _module() if name in holder._modules else _steep_tanh)
    return facts
