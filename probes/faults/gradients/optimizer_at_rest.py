from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "the optimiser is built with a learning rate of 0",
    "GRD011",
    lambda facts: all(group["lr"] == 0.0 for group in facts["optimizer"].param_groups),
)
def optimizer_at_rest(facts: Facts) -> Facts:
    from torch.optim import AdamW

    return {**facts, "optimizer": AdamW(facts["model"].parameters(), lr=0.0)}
