"""Small changes of the loss that faults are made of: another loss function, another head."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from diagnose import Fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import Facts, batch_of, label_key
from probes.faults.kit.forward_changes import hook_output, loss_of
from probes.faults.kit.model_parts import head_of

Loss = Callable[[Any, Any], Any]  # of scores and labels


def loss_fault(description: str, probe_id: str, applies_to: tuple[str, ...] = ("*",)) -> Callable[[Loss], Fault]:
    """A fault whose function is the loss, of scores and labels; it is in where the facts' loss has the value of it."""

    def mark(loss: Loss) -> Fault:
        def is_its_value(facts: Facts) -> bool:
            return loss_now(facts) == loss_now(with_loss(facts, loss))

        return change_fault(with_loss, description, probe_id, is_its_value, applies_to)(loss)

    return mark


def with_loss(facts: Facts, loss: Loss) -> Facts:
    """The facts with a loss of their own, of scores and labels."""
    has_logits_per_label(facts)

    def compute_loss(model: Any, batch: Any) -> Any:
        output, labels = _output_and_labels(model, batch)
        if not isinstance(output, dict):
            return loss(output, labels)
        own = loss(output["logits"], labels)
        return own if "ctc_loss" not in output else 0.7 * own + 0.3 * output["ctc_loss"]

    compute_loss.score = loss  # type: ignore[attr-defined]
    return {**facts, "compute_loss": compute_loss}


def scored_by(facts: Facts, loss: Loss) -> bool:
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


def has_logits_per_label(facts: Facts) -> None:
    import torch

    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]), torch.no_grad():
        scores, labels = scores_and_labels(facts["model"], batch_of(facts))
    if getattr(scores, "shape", ())[:-1] != labels.shape:
        raise NotApplicable("its logits and labels do not have the same rows")


def flat(scores: Any, labels: Any) -> tuple[Any, Any]:
    """One row for each label."""
    return scores.flatten(0, -2), labels.flatten()


def after_head(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """Every output of the model's head is changed from now on."""
    hook_output(head_of(facts), change)
    return facts


def cross_entropy_of(facts: Facts) -> float:
    """The plain cross-entropy of the scores that the model puts out now."""
    from torch.nn.functional import cross_entropy

    with in_mode(facts, training=False) as model:
        return float(cross_entropy(*flat(*scores_and_labels(model, batch_of(facts)))).detach())


@contextmanager
def in_mode(facts: Facts, training: bool) -> Iterator[Any]:
    """The model in training or evaluation mode; everything is put back afterwards."""
    from probes.facts.core.observer import restore_afterwards

    with restore_afterwards(facts["model"]):
        yield facts["model"].train(training)


def loss_in_mode(facts: Facts, training: bool) -> float:
    with in_mode(facts, training):
        return float(loss_of(facts).detach())


def loss_now(facts: Facts) -> float:
    return loss_in_mode(facts, training=False)


def mode_matters(facts: Facts) -> bool:
    """Whether the model's loss is another in training mode than in evaluation."""
    import torch

    with torch.no_grad():
        return loss_in_mode(facts, training=True) != loss_in_mode(facts, training=False)
