from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import SEQUENCES, encoder_of
from probes.faults.kit.gradient_changes import change_encoder_output, gradients_of


@change_fault(
    change_encoder_output,
    "the encoder's output is multiplied by zero",
    "GRD002",
    lambda facts: not any(g is not None and bool(g.any()) for g in gradients_of(facts, encoder_of(facts))),
    SEQUENCES,
)
def encoder_zeroed(hidden: Any) -> Any:
    return hidden * 0
