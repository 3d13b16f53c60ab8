from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import learning_rate_is


@fault("the optimizer has a learning rate of 0", "GRD011", learning_rate_is(0.0))
def optimizer_at_rest(facts: Facts) -> Facts:
    from torch.optim import AdamW

    return {**facts, "optimizer": AdamW(facts["model"].parameters(), lr=0.0)}
