from diagnose import fault
from probes.faults.kit.argument_changes import argument_is, with_arguments
from probes.faults.kit.changes import Facts


@fault("batches are accumulated four times", "CFG021", argument_is("gradient_accumulation_steps", 4))
def rows_of_an_update_unsaid(facts: Facts) -> Facts:
    return with_arguments(facts, gradient_accumulation_steps=4)
