"""Small changes of the loss that faults are made of: another loss function, another head."""

from collections.abc import Callable
from typing import Any

from probes.faults.changes import Facts, hook_output, label_key, loss_of

HEADS = {
    "WhisperForConditionalGeneration": "proj_out",
    "SpeechEncoderDecoderModel": "decoder.lm_head",
    "MT5ForConditionalGeneration": "lm_head",
    "Hybrid": "head",
    "Sequential": "4",
}


def with_loss(facts: Facts, loss: Callable[[Any, Any], Any]) -> Facts:
    """The facts with a loss of their own, of scores and labels."""

    def compute_loss(model: Any, batch: Any) -> Any:
        output = model(batch[0]) if isinstance(batch, list | tuple) else model(**batch)
        labels = batch[1] if isinstance(batch, list | tuple) else batch[label_key(batch)]
        if not isinstance(output, dict):
            return loss(output, labels)
        own = loss(output["logits"], labels)
        return own if "ctc_loss" not in output else 0.7 * own + 0.3 * output["ctc_loss"]

    return {**facts, "compute_loss": compute_loss}


def scores_and_labels(model: Any, batch: Any) -> tuple[Any, Any]:
    if isinstance(batch, list | tuple):
        return model(batch[0]), batch[1]
    return model(**batch)["logits"], batch[label_key(batch)]


def flat(scores: Any, labels: Any) -> tuple[Any, Any]:
    """One row for each label."""
    return scores.flatten(0, -2), labels.flatten()


def after_head(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """Every output of the model's head is changed from now on."""
    hook_output(facts["model"].get_submodule(HEADS[type(facts["model"]).__name__]), change)
    return facts


def first_batch(facts: Facts) -> Any:
    return facts["collate"]([facts["train_dataset"][number] for number in range(4)])


def cross_entropy_of(facts: Facts) -> float:
    """By the book, with what the model puts out now."""
    from torch.nn.functional import cross_entropy

    from probes.instruments.observer import observed

    with observed(facts["model"]):
        facts["model"].eval()
        return float(cross_entropy(*flat(*scores_and_labels(facts["model"], first_batch(facts)))).detach())


def loss_now(facts: Facts) -> float:
    from probes.instruments.observer import observed

    with observed(facts["model"]):
        facts["model"].eval()
        return float(loss_of(facts).detach())
