from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import backward_of, hooked, largest_of
from probes.faults.kit.model_parts import front_of


def _raised(hidden: Any) -> Any:
    if hidden.requires_grad:
        hidden.register_hook(lambda gradient: gradient * 1e10)
    return hidden


@fault(
    "a gradient multiplier of 1e10 behind the encoder",
    "GRD006",
    lambda facts: backward_of(facts, lambda: largest_of(facts, front_of(facts))) > 65504,
)
def gradient_scaled_up(facts: Facts) -> Facts:
    return hooked(facts, _raised)
