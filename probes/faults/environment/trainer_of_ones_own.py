from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.installations import shadow_package


@fault(
    "a file named trainer stands before this project's",
    "ENV006",
    lambda facts: "trainer_package" in facts and not facts["trainer_package"].ours,
)
def trainer_of_ones_own(facts: Facts) -> Facts:
    from probes.facts.environment.facts import trainer_package

    with shadow_package({"trainer.py": "def fit(): ...\n"}):
        return {**facts, "trainer_package": trainer_package()}
