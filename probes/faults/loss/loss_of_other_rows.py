from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.loss_changes import cross_entropy_of, loss_now, scored_by, with_loss


def _transposed(scores: Any, labels: Any) -> Any:
    """Flattened time first beside labels that are flattened row by row; without time, a row further."""
    from torch.nn.functional import cross_entropy

    if labels.dim() == 1:
        return cross_entropy(scores, labels.roll(1))
    return cross_entropy(scores.transpose(0, 1).flatten(0, 1), labels.flatten())


@fault(
    "scores are flattened time first and labels row by row, so that rows meet each other's labels",
    "LOS007",
    lambda facts: scored_by(facts, _transposed) and abs(loss_now(facts) - cross_entropy_of(facts)) > 1e-4,
)
def loss_of_other_rows(facts: Facts) -> Facts:
    return with_loss(facts, _transposed)
