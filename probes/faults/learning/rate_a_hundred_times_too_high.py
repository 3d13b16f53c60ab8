from diagnose import fault
from probes.faults.kit.argument_changes import with_rate
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import learning_rate_is

RATE = 1.0  # Adam learns well up to 0.01 in every subject


@fault("a learning rate a hundred times as high as the highest that learns", "LRN020", learning_rate_is(RATE))
def rate_a_hundred_times_too_high(facts: Facts) -> Facts:
    return with_rate(facts, RATE)
