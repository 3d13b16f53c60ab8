from diagnose import fault
from probes.faults.kit.argument_changes import with_arguments
from probes.faults.kit.changes import Facts, drop_keys


def _is_none(facts: Facts) -> bool:
    arguments = facts.get("training_arguments") or {}
    in_arguments = "seed" in arguments and arguments["seed"] is None
    return "seed" not in facts and (
        in_arguments or facts.get("config_values", {}).get("training.seed", (0,))[0] is None
    )


@fault("the seed is set to nothing", "CFG017", _is_none)
def seed_of_none(facts: Facts) -> Facts:
    return drop_keys(with_arguments(facts, seed=None), "seed")
