from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import backward_of, change_front_output
from probes.faults.kit.model_parts import front_of


@fault(
    "a module keeps its last output with its graph and adds it to the next",
    "GRD018",
    lambda facts: backward_of(facts, lambda: getattr(front_of(facts), "memory", None) is not None),
)
def state_kept_with_graph(facts: Facts) -> Facts:
    front = front_of(facts)
    front.memory = None

    def remember(hidden: Any) -> Any:
        if front.memory is not None:
            hidden = hidden + 0.01 * front.memory.mean()
        front.memory = hidden
        return hidden

    return change_front_output(facts, remember)
