from diagnose import fault
from probes.faults.kit.argument_changes import argument, updates_of, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "the warmup is that of a run 100 times as long",
    "CFG003",
    lambda facts: argument(facts, "warmup_steps") == 100 * updates_of(facts),
)
def warmup_of_a_longer_run(facts: Facts) -> Facts:
    return with_arguments(facts, warmup_steps=100 * updates_of(facts))
