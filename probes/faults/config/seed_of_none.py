from diagnose import fault
from probes.faults.kit.argument_changes import with_arguments
from probes.faults.kit.changes import Facts


def _unset(facts: Facts) -> bool:
    said = facts.get("training_arguments") or {}
    values = facts.get("config_values", {})
    return "seed" not in facts and (
        ("seed" in said and said["seed"] is None) or values.get("training.seed", (0,))[0] is None
    )


@fault("the seed is set to nothing", "CFG017", _unset)
def seed_of_none(facts: Facts) -> Facts:
    return {name: value for name, value in with_arguments(facts, seed=None).items() if name != "seed"}
