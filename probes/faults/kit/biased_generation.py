"""A model that knows its sentences, and generation that does not let it say them."""

from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.model_parts import head_of

INPUTS = ("input_features", "input_values", "attention_mask", "input_ids", "feats", "feat_lens")


def bias_token(token: str, amount: float, facts: Facts) -> Facts:
    """While it answers, and only then, the head wants this token more, or less."""
    import torch

    number, usual = getattr(facts["tokenizer"], token) if token else word_of(facts), facts["generate"]

    def change(module: Any, given: Any, scores: Any) -> Any:
        return scores + amount * torch.nn.functional.one_hot(torch.tensor(number), scores.shape[-1])

    def generate(model: Any, batch: Any) -> Any:
        handle = head_of({"model": model}).register_forward_hook(change)
        try:
            return usual(model, batch)
        finally:
            handle.remove()

    return {**facts, "generate": generate}


def word_of(facts: Facts) -> int:
    """A word of the labels."""
    from probes.faults.kit.changes import first_labels

    tokens = [token for token in first_labels(facts)[1].tolist() if token >= 0]
    return tokens[len(tokens) // 2]


def with_inputs(facts: Facts, change: Any) -> Facts:
    """Generation, and nothing else, is given other inputs."""
    usual = facts["generate"]

    def generate(model: Any, batch: Any) -> Any:
        return usual(model, {key: change(value) if key in INPUTS else value for key, value in batch.items()})

    return {**facts, "generate": generate}


def answers_differ(facts: Facts) -> bool:
    """The answers are not the labels, though the model knows them."""
    from probes.faults.kit.changes import label_key
    from probes.faults.kit.generation_changes import generated, two_rows

    if "generate" not in facts:
        return False
    batch, said = two_rows(facts), generated(facts)
    wanted = facts["decode"](batch[label_key(batch)].clamp(min=0))
    return said is not None and facts["decode"](said) != wanted


def has_memorized(facts: Facts) -> bool:
    from math import log

    from probes.faults.kit.loss_changes import loss_now

    return loss_now(facts) < 0.6 * log(len(facts["tokenizer"])) and answers_differ(facts)
