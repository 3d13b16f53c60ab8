from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.loss_changes import loss_now, with_loss


def _squared(scores: Any, labels: Any) -> Any:
    return (scores[:, :1] - labels.float()).square().mean()


@fault(
    "a column of outputs is subtracted from a row of labels: every row meets every label",
    "LOS012",
    lambda facts: loss_now(facts) == loss_now(with_loss(facts, _squared)),
    ("classifier",),
)
def loss_broadcast(facts: Facts) -> Facts:
    return with_loss(facts, _squared)
