from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.gradient_changes import backward_of, hooked
from probes.faults.kit.model_parts import front_of


@fault(
    "a module keeps its last output with its graph and adds it to the next",
    "GRD018",
    lambda facts: backward_of(facts, lambda: getattr(front_of(facts), "memory", None) is not None),
)
def state_kept_with_graph(facts: Facts) -> Facts:
    middle = front_of(facts)
    middle.memory = None

    def remember(hidden: Any) -> Any:
        if middle.memory is not None:
            hidden = hidden + 0.01 * middle.memory.mean()
        middle.memory = hidden
        return hidden

    return hooked(facts, remember)
