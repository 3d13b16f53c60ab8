from dataclasses import dataclass
from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, usual_loss
from probes.faults.kit.loss_changes import loss_now, needs_scores_beside_labels

STEPS = 4


@dataclass(frozen=True)
class ScaledLossTrainer:
    usual: Any

    def __call__(self, model: Any, batch: Any) -> Any:
        return STEPS * self.usual(model, batch)


def _is_larger(facts: Facts) -> bool:
    loss = facts.get("compute_loss")
    return isinstance(loss, ScaledLossTrainer) and loss_now(facts) > 2 * loss_now({**facts, "compute_loss": loss.usual})


@fault("the loss is multiplied by the number of accumulated batches where it should be divided", "LOS004", _is_larger)
def loss_times_accumulation(facts: Facts) -> Facts:
    needs_scores_beside_labels(facts)  # of any other loss nobody knows how large it should be
    return {**facts, "compute_loss": ScaledLossTrainer(usual_loss(facts))}
