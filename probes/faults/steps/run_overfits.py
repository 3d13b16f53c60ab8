from typing import Any

from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.short_runs import last, run_fault


@run_fault(
    "a few rows are memorized",
    "STP020",
    lambda r: last(r, "evaluation.loss") > min(r.series("evaluation.loss").values),
    CLASSIFIER,
)
def run_overfits(facts: Facts) -> dict[str, Any]:
    return {"same_batch": True, "steps": 200, "evaluate_every": 20, "rate": lambda step: 20.0 / (1 + 0.001 * step)}
