from typing import Any

from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts, label_key
from probes.faults.kit.forward_changes import loss_of


def compute_loss(model: Any, batch: Any) -> Any:
    """As for a model without an encoder, whose labels nobody has shifted yet."""
    from torch.nn.functional import cross_entropy

    logits, labels = model(**batch)["logits"], batch[label_key(batch)]
    return cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


def _is_other(facts: Facts) -> bool:
    return facts.get("compute_loss") is compute_loss and bool(loss_of(facts).isfinite())


@fault(
    "the loss compares the scores with the labels one position on, though the decoder's inputs are shifted",
    "LAB010",
    _is_other,
    HF_MODELS,
)
def loss_shifts_again(facts: Facts) -> Facts:
    return {**facts, "compute_loss": compute_loss}
