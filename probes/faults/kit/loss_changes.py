"""Small changes of the loss that faults are made of: another loss function, another head."""

from collections.abc import Callable
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, batch_of, hook_output, label_key, loss_of
from probes.faults.kit.model_parts import head_of


def with_loss(facts: Facts, loss: Callable[[Any, Any], Any]) -> Facts:
    """The facts with a loss of their own, of scores and labels."""
    needs_scores_beside_labels(facts)

    def compute_loss(model: Any, batch: Any) -> Any:
        output, labels = _output_and_labels(model, batch)
        if not isinstance(output, dict):
            return loss(output, labels)
        own = loss(output["logits"], labels)
        return own if "ctc_loss" not in output else 0.7 * own + 0.3 * output["ctc_loss"]

    compute_loss.score = loss  # type: ignore[attr-defined]
    return {**facts, "compute_loss": compute_loss}


def scored_by(facts: Facts, loss: Callable[[Any, Any], Any]) -> bool:
    return getattr(facts.get("compute_loss"), "score", None) is loss


def scores_and_labels(model: Any, batch: Any) -> tuple[Any, Any]:
    output, labels = _output_and_labels(model, batch)
    return (output["logits"] if isinstance(output, dict) else output), labels


def _output_and_labels(model: Any, batch: Any) -> tuple[Any, Any]:
    if isinstance(batch, list | tuple):
        return model(batch[0]), batch[1]
    try:
        return model(**batch), batch[label_key(batch)]
    except TypeError as error:
        raise NotApplicable(f"its model is not called with all that a batch holds: {error}") from error


def needs_scores_beside_labels(facts: Facts) -> None:
    import torch

    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]), torch.no_grad():
        scores, labels = scores_and_labels(facts["model"], first_batch(facts))
    if getattr(scores, "shape", ())[:-1] != labels.shape:
        raise NotApplicable("its scores do not stand beside its labels, a row of them for each")


def flat(scores: Any, labels: Any) -> tuple[Any, Any]:
    """One row for each label."""
    return scores.flatten(0, -2), labels.flatten()


def after_head(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """Every output of the model's head is changed from now on."""
    hook_output(head_of(facts), change)
    return facts


def first_batch(facts: Facts) -> Any:
    return batch_of(facts)


def cross_entropy_of(facts: Facts) -> float:
    """By the book, with what the model puts out now."""
    from torch.nn.functional import cross_entropy

    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]):
        facts["model"].eval()
        return float(cross_entropy(*flat(*scores_and_labels(facts["model"], first_batch(facts)))).detach())


def loss_now(facts: Facts) -> float:
    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]):
        facts["model"].eval()
        return float(loss_of(facts).detach())
