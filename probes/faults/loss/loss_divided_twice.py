from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.forward_changes import with_loss_value
from probes.faults.kit.loss_changes import cross_entropy_of, loss_now


def _rows(batch: Any) -> int:
    return len(batch[0] if isinstance(batch, list | tuple) else next(iter(batch.values())))


@fault(
    "a loss that is a mean already is divided by the number of rows once more",
    "LOS011",
    lambda facts: 2 * loss_now(facts) < cross_entropy_of(facts),
)
def loss_divided_twice(facts: Facts) -> Facts:
    return with_loss_value(facts, lambda loss, batch: loss / _rows(batch))
