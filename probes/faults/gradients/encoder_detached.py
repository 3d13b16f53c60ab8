from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, encoder_of, gradients_of, hook_output


@fault(
    "the encoder's output is detached before the decoder reads it",
    "GRD001",
    lambda facts: all(gradient is None for gradient in gradients_of(facts, encoder_of(facts))),
    SEQUENCES,
)
def encoder_detached(facts: Facts) -> Facts:
    hook_output(encoder_of(facts), lambda hidden: hidden.detach())
    return facts
