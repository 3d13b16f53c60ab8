from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.evaluation_changes import instead, raises, replaced


@fault(
    id="evaluation_unfinished",
    description="evaluate asks for a figure that nobody computes",
    probe_id="GEN011",
    is_present=lambda facts: replaced(facts, "evaluate") and raises(facts["evaluate"]),
)
def evaluation_unfinished(facts: Facts) -> Facts:
    whole = facts["evaluate"]

    def unfinished() -> dict[str, float]:
        return {"best": whole()["eval_best"]}

    return instead(facts, "evaluate", unfinished)
