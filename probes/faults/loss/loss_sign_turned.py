from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import with_loss_value
from probes.faults.kit.loss_changes import loss_now


@fault("the log-likelihood is minimized: its minus sign is missing", "LOS016", lambda facts: loss_now(facts) < 0)
def loss_sign_turned(facts: Facts) -> Facts:
    return with_loss_value(facts, lambda loss, _: -loss)
