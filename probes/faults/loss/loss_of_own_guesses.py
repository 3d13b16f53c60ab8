from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.loss_changes import flat, loss_now, with_loss


def _own(scores: Any, labels: Any) -> Any:
    from torch.nn.functional import cross_entropy

    best = scores.detach().argmax(-1)
    return cross_entropy(*flat(scores, best.masked_fill(labels < 0, -100)))


def _is_below_any_guess(facts: Facts) -> bool:
    return loss_now(facts) == loss_now(with_loss(facts, _own))


@fault(
    "the loss compares the scores with the model's own best guess in place of the labels", "LOS006", _is_below_any_guess
)
def loss_of_own_guesses(facts: Facts) -> Facts:
    return with_loss(facts, _own)
