from diagnose import fault
from probes.faults.kit.argument_changes import with_rate
from probes.faults.kit.changes import Facts

RATE = 1e-7


@fault(
    "a learning rate that would need a run ten thousand times as long",
    "LRN021",
    lambda facts: all(group["lr"] == RATE for group in facts["optimizer"].param_groups),
)
def rate_of_a_far_longer_run(facts: Facts) -> Facts:
    return with_rate(facts, RATE)
