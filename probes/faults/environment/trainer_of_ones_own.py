from diagnose import fault
from probes.faults.changes import Facts


@fault(
    "trainer_of_ones_own",
    "a folder named trainer stands before this project's",
    "ENV006",
    lambda f: "trainer_package" in f,
)
def trainer_of_ones_own(facts: Facts) -> Facts:
    from probes.measured.environment import NamedPackage

    return {**facts, "trainer_package": NamedPackage("trainer", "my_project/trainer.py", ours=False)}
