from diagnose import fault
from probes.faults.kit.changes import Facts, loss_of, usual_loss


@fault("a loss weight of zero", "LOS002", lambda facts: not bool(loss_of(facts).detach()))
def loss_times_zero(facts: Facts) -> Facts:
    usual = usual_loss(facts)
    return {**facts, "compute_loss": lambda model, batch: 0.0 * usual(model, batch)}
