from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import backward_of, change_front_output, largest_of, multiply_gradient
from probes.faults.kit.model_parts import front_of


@fault(
    "a gradient multiplier of 1e10 behind the encoder",
    "GRD006",
    lambda facts: backward_of(facts, lambda: largest_of(facts, front_of(facts))) > 65504,
)
def gradient_scaled_up(facts: Facts) -> Facts:
    return change_front_output(facts, lambda hidden: multiply_gradient(hidden, 1e10))
