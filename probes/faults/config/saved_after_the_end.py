from diagnose import fault
from probes.faults.kit.argument_changes import argument, updates_of, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "checkpoints come further apart than the run is long",
    "CFG014",
    lambda f: (argument(f, "save_steps") or 0) > updates_of(f),
)
def saved_after_the_end(facts: Facts) -> Facts:
    return with_arguments(facts, save_steps=5 * updates_of(facts))
