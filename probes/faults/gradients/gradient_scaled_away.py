from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import hook_output
from probes.faults.kit.gradient_changes import backward_of, largest_of, multiply_gradient
from probes.faults.kit.model_parts import front_of


@fault(
    "a gradient multiplier of 1e-10 behind the encoder",
    "GRD005",
    lambda facts: backward_of(facts, lambda: largest_of(facts, front_of(facts))) < 1e-8,
)
def gradient_scaled_away(facts: Facts) -> Facts:
    hook_output(front_of(facts), lambda hidden: multiply_gradient(hidden, 1e-10))
    return facts
