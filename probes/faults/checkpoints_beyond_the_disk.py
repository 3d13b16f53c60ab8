from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.settings import argument, with_arguments


@fault(
    id="checkpoints_beyond_the_disk",
    breaks="a checkpoint is kept of every update, and there are a billion of them",
    named_by="ENV008",
    proof=lambda facts: argument(facts, "max_steps") == 10**9,
)
def checkpoints_beyond_the_disk(facts: Facts) -> Facts:
    return {**with_arguments(facts, max_steps=10**9, save_steps=1), "total_steps": 10**9}
