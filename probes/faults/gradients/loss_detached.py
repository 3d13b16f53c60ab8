from diagnose import fault
from probes.faults.kit.changes import Facts, loss_of, usual_loss


@fault("the loss is detached from the graph", "GRD003", lambda facts: not loss_of(facts).requires_grad)
def loss_detached(facts: Facts) -> Facts:
    usual = usual_loss(facts)
    return {**facts, "compute_loss": lambda model, batch: usual(model, batch).detach()}
