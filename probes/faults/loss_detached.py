from diagnose import fault
from probes.faults.changes import Facts


@fault(
    id="loss_detached",
    breaks="the loss is detached from the graph",
    named_by="GRD003",
    proof=lambda facts: not facts["compute_loss"](facts["model"], next(iter(facts["train_batches"]))).requires_grad,
)
def loss_detached(facts: Facts) -> Facts:
    from probes.instruments.outputs import loss_of_output

    usual = facts.get("compute_loss", loss_of_output)
    return {**facts, "compute_loss": lambda model, batch: usual(model, batch).detach()}
