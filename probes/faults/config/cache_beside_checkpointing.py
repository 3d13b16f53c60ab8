from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.settings import argument, with_arguments


@fault(
    "cache_beside_checkpointing",
    "checkpointing turns the cache off",
    "CFG012",
    lambda f: argument(f, "gradient_checkpointing") is True,
    ("mt5",),
)
def cache_beside_checkpointing(facts: Facts) -> Facts:
    return with_arguments(facts, gradient_checkpointing=True)
