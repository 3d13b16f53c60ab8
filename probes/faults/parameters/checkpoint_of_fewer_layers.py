from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import SEQUENCES, Facts, drop_keys
from probes.faults.kit.module_changes import load_partly


@fault(
    "a checkpoint without the last layers is read with strict=False",
    "PAR007",
    lambda facts: bool(facts.get("missing_keys")),
    SEQUENCES,
)
def checkpoint_of_fewer_layers(facts: Facts) -> Facts:
    broken = load_partly(facts, lambda name: ".1." not in name)
    if not broken["missing_keys"]:
        raise NotApplicable("no stack of the model has a second layer")
    return drop_keys(broken, "fresh")
