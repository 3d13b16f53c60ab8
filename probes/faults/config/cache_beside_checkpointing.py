from diagnose import fault
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "use_cache stays on with gradient checkpointing, which turns it off",
    "CFG012",
    lambda f: argument(f, "gradient_checkpointing") is True and f["model"].config.use_cache,
    ("mt5",),
)
def cache_beside_checkpointing(facts: Facts) -> Facts:
    facts["model"].config.use_cache = True
    return with_arguments(facts, gradient_checkpointing=True)
