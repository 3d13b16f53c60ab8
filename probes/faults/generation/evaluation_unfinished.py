from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.evaluation_changes import instead, raises, replaced


@fault(
    "evaluate asks for a figure that nobody computes",
    "GEN011",
    lambda facts: replaced(facts, "evaluate") and raises(facts["evaluate"]),
)
def evaluation_unfinished(facts: Facts) -> Facts:
    whole = facts["evaluate"]

    def unfinished() -> dict[str, float]:
        return {"best": whole()["eval_best"]}

    return instead(facts, "evaluate", unfinished)
