from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.evaluation_changes import is_replaced, with_function
from probes.faults.kit.forward_changes import usual_loss
from probes.faults.kit.loss_changes import has_logits_per_label, loss_now

STEPS = 4


def _is_larger(facts: Facts) -> bool:
    """Than the loss before it."""
    if not is_replaced(facts, "compute_loss"):
        return False
    return loss_now(facts) > 2 * loss_now({**facts, "compute_loss": facts["compute_loss"].before})


@fault("the loss is multiplied by the number of accumulated batches where it should be divided", "LOS004", _is_larger)
def loss_times_accumulation(facts: Facts) -> Facts:
    has_logits_per_label(facts)  # of any other loss nobody knows how large it should be
    usual = usual_loss(facts)
    broken = {**facts, "compute_loss": usual}
    return with_function(broken, "compute_loss", lambda model, batch: STEPS * usual(model, batch))
