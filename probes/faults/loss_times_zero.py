from diagnose import fault
from probes.faults.changes import Facts


def _loss(facts: Facts) -> float:
    batch = next(iter(facts["train_batches"]))
    return float(facts["compute_loss"](facts["model"], batch).detach())


@fault(
    id="loss_times_zero",
    breaks="a loss weight of zero",
    named_by="LOS002",
    proof=lambda facts: _loss(facts) == 0.0,
)
def loss_times_zero(facts: Facts) -> Facts:
    from probes.instruments.outputs import loss_of_output

    usual = facts.get("compute_loss", loss_of_output)
    return {**facts, "compute_loss": lambda model, batch: 0.0 * usual(model, batch)}
