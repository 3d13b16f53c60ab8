from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, loss_of, usual_loss


def _sleeps(facts: Facts) -> bool:
    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]):
        facts["model"].train()
        loss_of(facts)
        return not facts["model"].training


@fault("the loss function puts the model into evaluation mode", "PLC006", _sleeps)
def loss_in_evaluation_mode(facts: Facts) -> Facts:
    usual = usual_loss(facts)

    def evaluated(model: Any, batch: Any) -> Any:
        model.eval()
        return usual(model, batch)

    return {**facts, "compute_loss": evaluated}
