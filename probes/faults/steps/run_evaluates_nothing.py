from math import isfinite
from typing import Any

from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.short_runs import run_fault


@run_fault(
    "the evaluation has no label to score",
    "STP004",
    lambda r: any(not isfinite(value) for value in r.series("evaluation.loss").values),
    HF_MODELS,
)
def run_evaluates_nothing(facts: Facts) -> dict[str, Any]:
    batch = next(iter(facts["eval_batches"]))
    facts["eval_batches"] = [{**batch, "labels": batch["labels"] * 0 - 100}]
    return {"evaluate_every": 4, "steps": 12}
