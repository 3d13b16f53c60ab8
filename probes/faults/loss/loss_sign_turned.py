from diagnose import fault
from probes.faults.kit.changes import Facts, usual_loss
from probes.faults.kit.loss_changes import loss_now


@fault(
    "the log-likelihood is minimised: the minus before it was forgotten", "LOS016", lambda facts: loss_now(facts) < 0
)
def loss_sign_turned(facts: Facts) -> Facts:
    usual = usual_loss(facts)
    return {**facts, "compute_loss": lambda model, batch: -usual(model, batch)}
