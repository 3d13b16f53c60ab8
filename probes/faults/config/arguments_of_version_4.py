from diagnose import fault
from probes.faults.kit.argument_changes import argument, updates_of, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "the arguments are written for transformers 4",
    "CFG001",
    lambda facts: argument(facts, "evaluation_strategy") is not None,
)
def arguments_of_version_4(facts: Facts) -> Facts:
    return with_arguments(facts, evaluation_strategy="steps", eval_steps=updates_of(facts) // 4)
