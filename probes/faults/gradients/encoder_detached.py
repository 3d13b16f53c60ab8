from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, encoder_of, gradients_of, hook_output


@fault(
    id="encoder_detached",
    description="the encoder's output is detached before the decoder reads it",
    probe_id="GRD001",
    is_present=lambda facts: all(gradient is None for gradient in gradients_of(facts, encoder_of(facts))),
    applies_to=SEQUENCES,
)
def encoder_detached(facts: Facts) -> Facts:
    hook_output(encoder_of(facts), lambda hidden: hidden.detach())
    return facts
