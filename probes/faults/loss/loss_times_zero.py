from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import loss_of, with_loss_value


@fault("a loss weight of zero", "LOS002", lambda facts: not bool(loss_of(facts).detach()))
def loss_times_zero(facts: Facts) -> Facts:
    return with_loss_value(facts, lambda loss, _: 0.0 * loss)
