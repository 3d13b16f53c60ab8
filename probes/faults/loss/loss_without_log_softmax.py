from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.loss_changes import flat, loss_now, with_loss


def _raw(scores: Any, labels: Any) -> Any:
    from torch.nn.functional import nll_loss

    return nll_loss(*flat(scores, labels))


@fault(
    "the negative log-likelihood is taken of raw scores",
    "LOS009",
    lambda facts: loss_now(facts) == loss_now(with_loss(facts, _raw)),
)
def loss_without_log_softmax(facts: Facts) -> Facts:
    return with_loss(facts, _raw)
