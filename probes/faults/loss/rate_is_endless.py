from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import learning_rate_is


@fault("the learning rate is infinite", "LOS059", learning_rate_is(float("inf")))
def rate_is_endless(facts: Facts) -> Facts:
    for group in facts["optimizer"].param_groups:
        group["lr"] = float("inf")
    return facts
