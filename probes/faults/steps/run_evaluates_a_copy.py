from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.short_runs import run_fault


@run_fault(
    "the evaluated model is a copy from before the training",
    "STP021",
    lambda r: len(set(r.series("evaluation.loss").values)) == 1,
    ("classifier", "mt5"),
)
def run_evaluates_a_copy(facts: Facts) -> dict[str, Any]:
    from copy import deepcopy

    return {"evaluated_model": deepcopy(facts["model"]), "evaluate_every": 5, "steps": 20}
