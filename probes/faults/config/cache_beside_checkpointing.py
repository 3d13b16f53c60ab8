from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.settings import argument, with_arguments


@fault(
    "cache_beside_checkpointing",
    "the cache is left on beside checkpointing, which turns it off",
    "CFG012",
    lambda f: argument(f, "gradient_checkpointing") is True and f["model"].config.use_cache,
    ("mt5",),
)
def cache_beside_checkpointing(facts: Facts) -> Facts:
    facts["model"].config.use_cache = True
    return with_arguments(facts, gradient_checkpointing=True)
