from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, usual_loss
from probes.faults.kit.loss_changes import cross_entropy_of, loss_now


def _rows(batch: Any) -> int:
    return len(batch[0] if isinstance(batch, list | tuple) else next(iter(batch.values())))


@fault(
    "a loss that is a mean already is divided by the number of rows once more",
    "LOS011",
    lambda facts: 2 * loss_now(facts) < cross_entropy_of(facts),
)
def loss_divided_twice(facts: Facts) -> Facts:
    usual = usual_loss(facts)
    return {**facts, "compute_loss": lambda model, batch: usual(model, batch) / _rows(batch)}
