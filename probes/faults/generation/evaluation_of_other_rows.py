from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.evaluation_changes import instead, replaced


@fault(
    "evaluate looks at rows that it draws anew each time",
    "GEN013",
    lambda facts: replaced(facts, "evaluate") and facts["evaluate"]() != facts["evaluate"](),
    ("classifier",),
)
def evaluation_of_other_rows(facts: Facts) -> Facts:
    def drawn() -> dict[str, float]:
        import torch

        model, rows = facts["model"].eval(), torch.randperm(60)[:7].tolist()
        x, y = facts["collate"]([facts["train_dataset"][number] for number in rows])
        with torch.no_grad():
            return {"loss": float(facts["compute_loss"](model, (x, y)))}

    return instead(facts, "evaluate", drawn)
