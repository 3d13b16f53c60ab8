"""A model that knows its sentences, and generation that does not let it generate them."""

from math import log
from typing import Any

from probes.faults.kit.changes import Facts, collate_rows, label_key
from probes.faults.kit.generation_changes import generated, word_of
from probes.faults.kit.loss_changes import loss_now
from probes.faults.kit.model_parts import head_of

INPUTS = ("input_features", "input_values", "attention_mask", "input_ids", "feats", "feat_lens")


def bias_token(token: str, amount: float, facts: Facts) -> Facts:
    """The facts in whose generation the head scores this token higher, or lower; "" is a word of the labels."""
    import torch

    number, usual = getattr(facts["tokenizer"], token) if token else word_of(facts), facts["generate"]

    def change(module: Any, inputs: Any, scores: Any) -> Any:
        return scores + amount * torch.nn.functional.one_hot(torch.tensor(number), scores.shape[-1])

    def generate(model: Any, batch: Any) -> Any:
        handle = head_of({"model": model}).register_forward_hook(change)
        try:
            return usual(model, batch)
        finally:
            handle.remove()

    return {**facts, "generate": generate}


def with_inputs(facts: Facts, change: Any) -> Facts:
    """The facts in which generation, and nothing else, gets other inputs."""
    usual = facts["generate"]

    def generate(model: Any, batch: Any) -> Any:
        return usual(model, {key: change(value) if key in INPUTS else value for key, value in batch.items()})

    return {**facts, "generate": generate}


def answers_differ(facts: Facts) -> bool:
    """The generated texts are not the labels, though the model knows them."""
    if "generate" not in facts:
        return False
    batch, answers = collate_rows(facts, 0, 1), generated(facts)
    labels = facts["decode"](batch[label_key(batch)].clamp(min=0))
    return answers is not None and facts["decode"](answers) != labels


def has_memorized(facts: Facts) -> bool:
    return loss_now(facts) < 0.6 * log(len(facts["tokenizer"])) and answers_differ(facts)
