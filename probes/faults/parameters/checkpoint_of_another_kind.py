from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "only the head is meant to be new, and the checkpoint lacks the first layer as well",
    "PAR007",
    lambda facts: "0.weight" in facts.get("missing_keys", ()),
    ("classifier",),
)
def checkpoint_of_another_kind(facts: Facts) -> Facts:
    held = {name: one for name, one in facts["model"].state_dict().items() if name.startswith("1.")}
    missing = facts["model"].load_state_dict(held, strict=False).missing_keys
    return {**facts, "missing_keys": missing, "fresh": ("4.*",)}
