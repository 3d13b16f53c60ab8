from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import loss_of, with_loss_value


@fault("the loss is detached from the graph", "GRD003", lambda facts: not loss_of(facts).requires_grad)
def loss_detached(facts: Facts) -> Facts:
    return with_loss_value(facts, lambda loss, _: loss.detach())
