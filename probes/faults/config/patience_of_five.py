from diagnose import fault
from probes.faults.kit.argument_changes import BEST, argument_is, updates_of, with_arguments
from probes.faults.kit.changes import Facts


@fault("early stopping waits for five evaluations of four", "CFG016", argument_is("early_stopping_patience", 5))
def patience_of_five(facts: Facts) -> Facts:
    return with_arguments(facts, **BEST, eval_steps=updates_of(facts) // 4, early_stopping_patience=5)
