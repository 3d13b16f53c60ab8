from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.model_parts import activation_of

BEFORE = ("fc1", "intermediate_dense", "linear1", "1")


def _bias(facts: Facts) -> Any:
    """The bias of the layer before the first activation."""
    holder, _ = activation_of(facts)
    return next(getattr(holder, name) for name in BEFORE if hasattr(holder, name)).bias


@fault(
    "the bias before an activation is initialized to -100",
    "GRD007",
    lambda facts: float(_bias(facts).detach().max()) == -100.0,
    ("whisper", "e2e", "hybrid", "classifier"),
)
def units_switched_off(facts: Facts) -> Facts:
    _bias(facts).data.fill_(-100.0)
    return facts
