from diagnose import fault
from probes.faults.kit.argument_changes import argument_is, with_arguments
from probes.faults.kit.changes import Facts


@fault("every checkpoint of a run of a billion updates is kept", "ENV008", argument_is("max_steps", 10**9))
def checkpoints_beyond_the_disk(facts: Facts) -> Facts:
    return {**with_arguments(facts, max_steps=10**9, save_total_limit=10**9), "total_steps": 10**9}
