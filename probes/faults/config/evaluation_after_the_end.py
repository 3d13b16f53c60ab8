from diagnose import fault
from probes.faults.kit.argument_changes import BEST, argument, updates_of, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "evaluations come further apart than the run is long",
    "CFG013",
    lambda f: (argument(f, "eval_steps") or 0) > updates_of(f),
)
def evaluation_after_the_end(facts: Facts) -> Facts:
    beyond = 5 * updates_of(facts)
    return with_arguments(facts, **BEST, eval_steps=beyond, save_steps=beyond)
