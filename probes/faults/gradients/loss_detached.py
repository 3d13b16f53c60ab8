from diagnose import fault
from probes.faults.kit.changes import Facts, loss_of, usual_loss


@fault(
    id="loss_detached",
    breaks="the loss is detached from the graph",
    named_by="GRD003",
    proof=lambda facts: not loss_of(facts).requires_grad,
)
def loss_detached(facts: Facts) -> Facts:
    usual = usual_loss(facts)
    return {**facts, "compute_loss": lambda model, batch: usual(model, batch).detach()}
