from diagnose import fault
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "the learning rate is text, as YAML reads 1e-4",
    "CFG020",
    lambda facts: isinstance(argument(facts, "learning_rate"), str),
)
def learning_rate_as_text(facts: Facts) -> Facts:
    return with_arguments(facts, learning_rate="1e-4")
