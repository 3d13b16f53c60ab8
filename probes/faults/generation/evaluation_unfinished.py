from typing import Any

from probes.faults.kit.change_faults import raises
from probes.faults.kit.changes import Facts
from probes.faults.kit.evaluation_changes import function_fault


@function_fault(
    "evaluate",
    "evaluate reads a metric that is not computed",
    "GEN011",
    lambda facts: raises(facts["evaluate"]),
)
def evaluation_unfinished(facts: Facts) -> Any:
    return lambda: {"best": facts["evaluate"]()["eval_best"]}
