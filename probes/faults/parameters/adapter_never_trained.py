from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, without_facts
from probes.faults.kit.module_changes import add_behind, freeze_front, move_from_init, with_optimizer
from probes.faults.parameters.adapter_frozen_with_encoder import _adapter, _frozen


@fault("an adapter that nobody mentions is put into a trained encoder and frozen with it", "PAR004", _frozen, SEQUENCES)
def adapter_never_trained(facts: Facts) -> Facts:
    move_from_init(facts)
    add_behind(facts, "new_adapter", _adapter)
    freeze_front(facts)
    return without_facts(with_optimizer(facts), "fresh")
