from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, first_labels


@fault(
    "the model takes a letter of the tokenizer for the blank of CTC",
    "LAB019",
    lambda facts: bool((first_labels(facts) == _blank(facts)).any()),
    ("hybrid",),
)
def blank_is_a_letter(facts: Facts) -> Facts:
    holder, name = _held(facts)
    setattr(holder, name, int(first_labels(facts)[0, 2]))
    return facts


def _held(facts: Facts) -> tuple[Any, str]:
    """Where the model keeps the number of its blank."""
    model = facts["model"]
    return (model, "vocabulary") if hasattr(model, "vocabulary") else (model.config, "pad_token_id")


def _blank(facts: Facts) -> int:
    return int(getattr(*_held(facts)))
