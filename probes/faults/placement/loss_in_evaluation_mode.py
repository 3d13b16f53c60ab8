from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import loss_of, usual_loss
from probes.faults.kit.loss_changes import in_mode


def _ends_in_evaluation(facts: Facts) -> bool:
    with in_mode(facts, training=True) as model:
        loss_of(facts)
        return not model.training


@fault("the loss function puts the model into evaluation mode", "PLC006", _ends_in_evaluation)
def loss_in_evaluation_mode(facts: Facts) -> Facts:
    usual = usual_loss(facts)
    return {**facts, "compute_loss": lambda model, batch: usual(model.eval(), batch)}
