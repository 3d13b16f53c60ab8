from typing import Any

from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.evaluation_changes import instead, replaced
from probes.faults.kit.generation_changes import generated


def _shorter(facts: Facts) -> bool:
    before = {**facts, "generate": facts["generate"].before}
    return generated(facts).shape[1] < generated(before).shape[1]


@fault(
    "six tokens are cut off what was generated, as if they were a prompt",
    "GEN005",
    lambda facts: replaced(facts, "generate") and _shorter(facts),
    SEQUENCES,
)
def output_cut_too_far(facts: Facts) -> Facts:
    whole = facts["generate"]

    def cut(model: Any, batch: Any) -> Any:
        return whole(model, batch)[:, 6:]

    return instead(facts, "generate", cut)
