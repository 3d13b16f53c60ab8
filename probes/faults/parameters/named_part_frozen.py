from diagnose import fault
from probes.faults.kit.changes import Facts, drop_keys
from probes.faults.kit.model_parts import front_of
from probes.faults.kit.module_changes import freeze_front, with_optimizer


@fault(
    "a part that is meant to train is frozen by an earlier call",
    "PAR016",
    lambda facts: not any(one.requires_grad for one in front_of(facts).parameters()),
)
def named_part_frozen(facts: Facts) -> Facts:
    freeze_front(facts)
    return drop_keys(with_optimizer(facts), "fresh") | {"trainable": ("*",)}
