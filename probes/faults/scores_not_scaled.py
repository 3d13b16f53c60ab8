from typing import Any

from diagnose import fault
from probes.faults.changes import Facts, hook_output
from probes.faults.gradient_changes import ATTENTION


@fault(
    id="scores_not_scaled",
    breaks="queries are multiplied, so that attention's softmax puts all weight on one position",
    named_by="GRD009",
    proof=lambda facts: bool(_query(facts)._forward_hooks),
    applies_to=("whisper", "e2e", "mt5"),
)
def scores_not_scaled(facts: Facts) -> Facts:
    hook_output(_query(facts), lambda hidden: hidden * 1e8)
    return facts


def _query(facts: Facts) -> Any:
    return facts["model"].get_submodule(ATTENTION[type(facts["model"]).__name__])
