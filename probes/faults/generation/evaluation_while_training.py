from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, collate_rows
from probes.faults.kit.evaluation_changes import function_fault, modes_of
from probes.faults.kit.loss_changes import mode_matters


@function_fault(
    "evaluate",
    "evaluate leaves the model in training mode",
    "GEN012",
    lambda facts: True in modes_of(facts, facts["evaluate"]),
)
def evaluation_while_training(facts: Facts) -> Any:
    model, compute = facts["model"], facts["compute_metrics"]
    if not mode_matters(facts):
        raise NotApplicable("it has no dropout and no batch norm: training mode changes nothing")

    def evaluate() -> dict[str, float]:
        import torch

        batch = collate_rows(facts, 0, 1)
        with torch.no_grad():
            if "generate" not in facts:
                return compute(model(batch[0]), batch[1])
            labels = facts.get("labels_of", lambda one: one["labels"])(batch)
            return compute(facts["generate"](model, batch), labels)

    return evaluate
