from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "a learning rate so small that float32 rounds the update away",
    "GRD012",
    lambda facts: all(group["lr"] == 1e-11 for group in facts["optimizer"].param_groups),
)
def rate_below_rounding(facts: Facts) -> Facts:
    from torch.optim import AdamW

    return {**facts, "optimizer": AdamW(facts["model"].parameters(), lr=1e-11)}
