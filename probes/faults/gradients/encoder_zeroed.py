from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, encoder_of, gradients_of, hook_output


@fault(
    "the encoder's output is multiplied by zero",
    "GRD002",
    lambda facts: not any(g is not None and bool(g.any()) for g in gradients_of(facts, encoder_of(facts))),
    SEQUENCES,
)
def encoder_zeroed(facts: Facts) -> Facts:
    hook_output(encoder_of(facts), lambda hidden: hidden * 0)
    return facts
