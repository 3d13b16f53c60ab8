from diagnose import fault
from probes.faults.kit.argument_changes import with_rate
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import learning_rate_is

RATE = 1e-7


@fault("a learning rate that would need a run ten thousand times as long", "LRN021", learning_rate_is(RATE))
def rate_of_a_far_longer_run(facts: Facts) -> Facts:
    return with_rate(facts, RATE)
