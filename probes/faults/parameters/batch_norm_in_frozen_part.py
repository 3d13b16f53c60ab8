from diagnose import fault
from probes.faults.kit.changes import Facts, drop_keys
from probes.faults.kit.module_changes import add_batch_norm, batch_norm_of, freeze_front, with_optimizer


@fault(
    "a frozen front with batch norm stays in training mode",
    "PAR014",
    lambda facts: batch_norm_of(facts) is not None,
)
def batch_norm_in_frozen_part(facts: Facts) -> Facts:
    add_batch_norm(facts)
    freeze_front(facts)
    return drop_keys(with_optimizer(facts), "fresh")
