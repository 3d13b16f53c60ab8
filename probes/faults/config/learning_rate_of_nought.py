from diagnose import fault
from probes.faults.kit.argument_changes import argument_is, with_arguments
from probes.faults.kit.changes import Facts


@fault("the learning rate is 0", "CFG004", argument_is("learning_rate", 0.0))
def learning_rate_of_nought(facts: Facts) -> Facts:
    return with_arguments(facts, learning_rate=0.0)
