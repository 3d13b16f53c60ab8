from typing import Any

from probes.faults.kit.changes import CLASSIFIER, Facts, collate_rows
from probes.faults.kit.evaluation_changes import function_fault


@function_fault(
    "evaluate",
    "evaluate draws different rows each time",
    "GEN013",
    lambda facts: facts["evaluate"]() != facts["evaluate"](),
    CLASSIFIER,
)
def evaluation_of_other_rows(facts: Facts) -> Any:
    def evaluate() -> dict[str, float]:
        import torch

        model, rows = facts["model"].eval(), torch.randperm(60)[:7].tolist()
        x, y = collate_rows(facts, *rows)
        with torch.no_grad():
            return {"loss": float(facts["compute_loss"](model, (x, y)))}

    return evaluate
