from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.loss_changes import flat, loss_now, with_loss


def _doubled(scores: Any, labels: Any) -> Any:
    from torch.nn.functional import cross_entropy

    return cross_entropy(*flat(scores.softmax(-1), labels))


@fault(
    "the scores go through softmax before cross-entropy, which has one of its own",
    "LOS008",
    lambda facts: loss_now(facts) == loss_now(with_loss(facts, _doubled)),
)
def softmax_before_loss(facts: Facts) -> Facts:
    return with_loss(facts, _doubled)
