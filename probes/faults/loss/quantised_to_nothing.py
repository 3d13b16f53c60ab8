from typing import Any

from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import SEQUENCES, Facts, encoder_of
from probes.faults.kit.gradient_changes import change_encoder_output
from probes.faults.kit.loss_changes import loss_now


def _is_constant(facts: Facts) -> bool:
    """One value leaves the encoder."""
    outputs: list[Any] = []
    handle = encoder_of(facts).register_forward_hook(lambda module, inputs, output: outputs.append(output))
    loss_now(facts)
    handle.remove()
    hidden = getattr(outputs[0], "last_hidden_state", outputs[0])
    hidden = hidden[0] if isinstance(hidden, tuple) else hidden
    return bool((hidden == hidden.flatten()[0]).all())


@change_fault(
    change_encoder_output,
    "a quantizer after the encoder rounds every value to the same one, with a straight-through gradient",
    "LOS005",
    _is_constant,
    SEQUENCES,
)
def quantised_to_nothing(hidden: Any) -> Any:
    return hidden - hidden.detach() + 1.0
