from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, unsaid
from probes.faults.kit.module_changes import add_behind, freeze_front, pretend_trained, with_optimizer
from probes.faults.parameters.adapter_frozen_with_encoder import _adapter, _frozen


@fault(
    id="adapter_never_trained",
    breaks="an adapter that nobody mentions is put into a trained encoder and frozen with it",
    named_by="PAR004",
    proof=_frozen,
    applies_to=SEQUENCES,
)
def adapter_never_trained(facts: Facts) -> Facts:
    pretend_trained(facts)
    add_behind(facts, "new_adapter", _adapter)
    freeze_front(facts)
    return unsaid(with_optimizer(facts), "fresh")
