from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import SEQUENCES, encoder_of
from probes.faults.kit.gradient_changes import change_encoder_output, gradients_of


@change_fault(
    change_encoder_output,
    "the encoder's output is detached before the decoder reads it",
    "GRD001",
    lambda facts: all(gradient is None for gradient in gradients_of(facts, encoder_of(facts))),
    SEQUENCES,
)
def encoder_detached(hidden: Any) -> Any:
    return hidden.detach()
