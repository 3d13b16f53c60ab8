from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import with_optimizer


@fault(
    "one group with a large decay holds norms and biases too",
    "PAR011",
    lambda facts: facts["optimizer"].param_groups[0]["weight_decay"] > 0.1,
    note=True,
)
def norms_decayed(facts: Facts) -> Facts:
    return with_optimizer(facts, weight_decay=0.2)
