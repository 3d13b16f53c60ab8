from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, drop_keys
from probes.faults.kit.module_changes import (
    adapter_is_frozen,
    add_adapter,
    freeze_front,
    move_from_init,
    with_optimizer,
)


@fault(
    "an untrained adapter is added to a trained encoder and frozen with it",
    "PAR004",
    adapter_is_frozen,
    SEQUENCES,
)
def adapter_never_trained(facts: Facts) -> Facts:
    move_from_init(facts)
    add_adapter(facts)
    freeze_front(facts)
    return drop_keys(with_optimizer(facts), "fresh")
