from diagnose import fault
from probes.faults.changes import Facts, usual_loss
from probes.faults.loss_changes import cross_entropy_of, loss_now

STEPS = 4


def most(facts: Facts) -> float:
    """No mean of a hybrid's parts is more than twice its decoder's."""
    return (2 if type(facts["model"]).__name__ == "Hybrid" else 1) * cross_entropy_of(facts)


@fault(
    id="loss_times_accumulation",
    breaks="the loss is multiplied by the number of accumulated batches where it should be divided",
    named_by="LOS004",
    proof=lambda facts: loss_now(facts) > 1.2 * most(facts),
)
def loss_times_accumulation(facts: Facts) -> Facts:
    usual = usual_loss(facts)
    return {**facts, "compute_loss": lambda model, batch: STEPS * usual(model, batch)}
