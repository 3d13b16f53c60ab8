from typing import Any

from diagnose import fault
from probes.faults.changes import SEQUENCES, Facts


@fault(
    id="output_cut_too_far",
    breaks="six tokens are cut off what was generated, as if they were a prompt",
    named_by="GEN005",
    proof=lambda facts: facts["generate"].__name__ == "cut",
    applies_to=SEQUENCES,
)
def output_cut_too_far(facts: Facts) -> Facts:
    whole = facts["generate"]

    def cut(model: Any, batch: Any) -> Any:
        return whole(model, batch)[:, 6:]

    return {**facts, "generate": cut}
