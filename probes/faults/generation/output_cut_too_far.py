from typing import Any

from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.evaluation_changes import function_fault
from probes.faults.kit.generation_changes import generated


def _is_shorter(facts: Facts) -> bool:
    before = {**facts, "generate": facts["generate"].before}
    return generated(facts).shape[1] < generated(before).shape[1]


@function_fault(
    "generate",
    "six tokens are cut off what was generated, as if they were a prompt",
    "GEN005",
    _is_shorter,
    SEQUENCES,
)
def output_cut_too_far(facts: Facts) -> Any:
    return lambda model, batch: facts["generate"](model, batch)[:, 6:]
