from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import learning_rate_is


@fault("a learning rate so small that float32 rounds the update away", "GRD012", learning_rate_is(1e-11))
def rate_below_rounding(facts: Facts) -> Facts:
    from torch.optim import AdamW

    return {**facts, "optimizer": AdamW(facts["model"].parameters(), lr=1e-11)}
