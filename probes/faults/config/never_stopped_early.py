from diagnose import fault
from probes.faults.kit.argument_changes import BEST, argument_is, updates_of, with_arguments
from probes.faults.kit.changes import Facts


@fault("nothing stops a run that gets worse", "CFG015", argument_is("early_stopping_patience", 0))
def never_stopped_early(facts: Facts) -> Facts:
    return with_arguments(facts, **BEST, eval_steps=updates_of(facts) // 4, early_stopping_patience=0)
