from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, mode_matters
from probes.faults.kit.evaluation_changes import instead, modes_of, replaced


@fault(
    "evaluate leaves the model in training mode",
    "GEN012",
    lambda facts: replaced(facts, "evaluate") and True in modes_of(facts, facts["evaluate"]),
)
def evaluation_while_training(facts: Facts) -> Facts:
    model, compute = facts["model"], facts["compute_metrics"]
    if not mode_matters(facts):
        raise NotApplicable("it has no dropout and no batch norm: training mode changes nothing")

    def training() -> dict[str, float]:
        import torch

        batch = facts["collate"]([facts["train_dataset"][number] for number in range(2)])
        with torch.no_grad():
            if "generate" not in facts:
                return compute(model(batch[0]), batch[1])
            labels = facts.get("labels_of", lambda one: one["labels"])(batch)
            return compute(facts["generate"](model, batch), labels)

    return instead(facts, "evaluate", training)
