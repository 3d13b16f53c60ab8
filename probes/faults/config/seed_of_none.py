from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.settings import with_arguments


@fault("seed_of_none", "the seed is set to nothing", "CFG017", lambda f: "seed" in f.get("training_arguments", {}))
def seed_of_none(facts: Facts) -> Facts:
    return {name: value for name, value in with_arguments(facts, seed=None).items() if name != "seed"}
