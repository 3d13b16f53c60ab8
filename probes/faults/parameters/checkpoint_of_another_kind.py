from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.module_changes import load_partly


@fault(
    "only the head is meant to be new, and the checkpoint lacks the first layer as well",
    "PAR007",
    lambda facts: "0.weight" in facts.get("missing_keys", ()),
    CLASSIFIER,
)
def checkpoint_of_another_kind(facts: Facts) -> Facts:
    return {**load_partly(facts, lambda name: name.startswith("1.")), "fresh": ("4.*",)}
