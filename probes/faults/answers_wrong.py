"""A model that knows its sentences, and generation that does not let it say them."""

from typing import Any

from diagnose import fault
from probes.faults.anatomy import head_of
from probes.faults.changes import SEQUENCES, Facts
from probes.faults.taught import taught

INPUTS = ("input_features", "input_values", "attention_mask", "input_ids", "feats", "feat_lens")


def _said(facts: Facts) -> Any:
    """What the first two rows are answered."""
    from probes.faults.generation_wrong import generated

    return generated(facts)


def _boosted(token: str, amount: float, facts: Facts) -> Facts:
    """While it answers, and only then, the head wants this token more, or less."""
    import torch

    number, usual = getattr(facts["tokenizer"], token) if token else _word(facts), facts["generate"]

    def change(module: Any, given: Any, scores: Any) -> Any:
        return scores + amount * torch.nn.functional.one_hot(torch.tensor(number), scores.shape[-1])

    def generate(model: Any, batch: Any) -> Any:
        handle = head_of({"model": model}).register_forward_hook(change)
        try:
            return usual(model, batch)
        finally:
            handle.remove()

    return {**facts, "generate": generate}


def _word(facts: Facts) -> int:
    """A word of the labels."""
    from probes.faults.changes import first_labels

    tokens = [token for token in first_labels(facts)[1].tolist() if token >= 0]
    return tokens[len(tokens) // 2]


def _with_inputs(facts: Facts, change: Any) -> Facts:
    """Generation, and nothing else, is given other inputs."""
    usual = facts["generate"]

    def generate(model: Any, batch: Any) -> Any:
        return usual(model, {key: change(value) if key in INPUTS else value for key, value in batch.items()})

    return {**facts, "generate": generate}


def _differs(facts: Facts) -> bool:
    """The answers are not the labels, though the model knows them."""
    from probes.faults.changes import label_key
    from probes.faults.generation_wrong import two_rows

    if "generate" not in facts:
        return False
    batch, said = two_rows(facts), _said(facts)
    wanted = facts["decode"](batch[label_key(batch)].clamp(min=0))
    return said is not None and facts["decode"](said) != wanted


def _knows(facts: Facts) -> bool:
    from math import log

    from probes.faults.loss_changes import loss_now

    return loss_now(facts) < 0.6 * log(len(facts["tokenizer"])) and _differs(facts)


@fault(
    id="end_said_at_once",
    breaks="a trained model answers with its end token alone",
    named_by="GEN006",
    proof=_knows,
    applies_to=SEQUENCES,
)
def end_said_at_once(facts: Facts) -> Facts:
    return _boosted("eos_token_id", 100.0, taught(facts))


@fault(
    id="one_word_for_ever",
    breaks="a trained model answers with one word again and again",
    named_by="GEN007",
    proof=_knows,
    applies_to=SEQUENCES,
)
def one_word_for_ever(facts: Facts) -> Facts:
    return _boosted("", 100.0, taught(facts))


@fault(
    id="first_row_given_to_all",
    breaks="generation gets the first row's input for every row",
    named_by="GEN008",
    proof=_knows,
    applies_to=SEQUENCES,
)
def first_row_given_to_all(facts: Facts) -> Facts:
    return _with_inputs(taught(facts), lambda value: value[:1].expand_as(value))


@fault(
    id="end_unlearnt",
    breaks="a trained model never says its end token",
    named_by="GEN009",
    proof=_knows,
    applies_to=SEQUENCES,
)
def end_unlearnt(facts: Facts) -> Facts:
    return _boosted("eos_token_id", -100.0, taught(facts))


@fault(
    id="rows_answered_in_another_order",
    breaks="generation gets the rows in another order than the labels",
    named_by="GEN010",
    proof=_knows,
    applies_to=SEQUENCES,
)
def rows_answered_in_another_order(facts: Facts) -> Facts:
    return _with_inputs(taught(facts), lambda value: value.roll(1, 0))
