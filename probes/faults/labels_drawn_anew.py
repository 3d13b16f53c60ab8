from typing import Any

from diagnose import fault
from probes.faults.changes import Facts, label_key, loss_of, usual_loss
from probes.faults.loss_changes import first_batch


def _wavers(facts: Facts) -> bool:
    """The loss of the same rows at the same weights is another each time."""
    import torch

    from probes.instruments.observer import observed

    if "compute_loss" not in facts:
        return False
    with observed(facts["model"]), torch.no_grad():
        facts["model"].eval()
        losses = {round(float(loss_of(facts)), 6) for _ in range(8)}
    return len(losses) > 1 and bool(first_batch(facts))


@fault(
    id="labels_drawn_anew",
    breaks="labels are shuffled between the rows in every step, left over from a trial",
    named_by="LRN010",
    proof=_wavers,
)
def labels_drawn_anew(facts: Facts) -> Facts:
    import torch

    usual = usual_loss(facts)

    def compute_loss(model: Any, batch: Any) -> Any:
        if isinstance(batch, list | tuple):
            return usual(model, [batch[0], batch[1][torch.randperm(len(batch[1]))]])
        labels = batch[label_key(batch)]
        mixed = labels.clone()
        scored = labels >= 0
        mixed[scored] = labels[scored][torch.randperm(int(scored.sum()))]
        return usual(model, {**batch, label_key(batch): mixed})

    return {**facts, "compute_loss": compute_loss}
