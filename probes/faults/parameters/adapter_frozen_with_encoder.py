from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.module_changes import adapter_is_frozen, add_adapter, freeze_front, with_optimizer


@fault("a new adapter in the encoder is frozen with it", "PAR003", adapter_is_frozen, SEQUENCES)
def adapter_frozen_with_encoder(facts: Facts) -> Facts:
    add_adapter(facts)
    freeze_front(facts)
    return with_optimizer(facts) | {"fresh": ("*adapter*",)}
