from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, encoder_of, hook_output
from probes.faults.kit.loss_changes import loss_now


def _is_silent(facts: Facts) -> bool:
    """One value leaves the encoder."""
    seen: list[Any] = []
    handle = encoder_of(facts).register_forward_hook(lambda module, given, output: seen.append(output))
    loss_now(facts)
    handle.remove()
    hidden = getattr(seen[0], "last_hidden_state", seen[0])
    hidden = hidden[0] if isinstance(hidden, tuple) else hidden
    return bool((hidden == hidden.flatten()[0]).all())


@fault(
    "a quantiser behind the encoder rounds every value to the same one, while its gradient passes straight on",
    "LOS005",
    _is_silent,
    SEQUENCES,
)
def quantised_to_nothing(facts: Facts) -> Facts:
    hook_output(encoder_of(facts), lambda hidden: hidden - hidden.detach() + 1.0)
    return facts
