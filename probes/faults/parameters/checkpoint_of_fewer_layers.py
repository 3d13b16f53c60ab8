from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import SEQUENCES, Facts, without_facts


@fault(
    "a checkpoint without the last layers is read with strict=False",
    "PAR007",
    lambda facts: bool(facts.get("missing_keys")),
    SEQUENCES,
)
def checkpoint_of_fewer_layers(facts: Facts) -> Facts:
    held = {name: one for name, one in facts["model"].state_dict().items() if ".1." not in name}
    missing = facts["model"].load_state_dict(held, strict=False).missing_keys
    if not missing:
        raise NotApplicable("no stack of the model has a second layer")
    return {**without_facts(facts, "fresh"), "missing_keys": missing}
