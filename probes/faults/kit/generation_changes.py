"""Faults of generating: in the call, in the settings, in the prompt."""

from collections.abc import Callable
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, collate_rows, first_labels
from probes.faults.kit.loss_changes import in_mode


def generated(facts: Facts) -> Any:
    """The tokens generated for two rows; None where it raises."""
    from probes.facts.core.progress_log import silence_transformers

    with silence_transformers(), in_mode(facts, training=False) as model:
        try:
            return facts["generate"](model, collate_rows(facts, 0, 1))
        except Exception:
            return None


def set_generation(facts: Facts, **settings: Any) -> Facts:
    for name, value in settings.items():
        setattr(facts["model"].generation_config, name, value)
    return facts


def generation_setting_is(name: str, value: Any) -> Callable[[Facts], bool]:
    return lambda facts: getattr(getattr(facts["model"], "generation_config", None), name, None) == value


def with_greedy_decoding(facts: Facts, refusal: str = "", **how: Any) -> Facts:
    """The facts whose generation is the model's own greedy_decode, called so; not applicable where it has none."""
    if not hasattr(facts["model"], "greedy_decode"):
        raise NotApplicable(refusal)
    how = {"end": facts["tokenizer"].eos_token_id, **how}
    return {**facts, "generate": lambda model, batch: model.greedy_decode(batch["feats"], batch["feat_lens"], **how)}


def generated_length(facts: Facts, words: int) -> int:
    """The number of tokens that come out where the model generates so many words, and then its end."""
    answers = _steered(facts, words)[0]
    return 0 if answers is None else int(answers.shape[1])


def prompt_of(facts: Facts) -> list[int]:
    """The tokens that generation begins with."""
    return (_steered(facts, 1)[1] or [[]])[0]


def _steered(facts: Facts, words: int) -> tuple[Any, list[list[int]]]:
    from probes.facts.generation.steering import SteeredGeneration

    end, rows = facts["tokenizer"].eos_token_id, [[word_of(facts)] * words] * 2
    with SteeredGeneration(
        facts["model"], 4 * words, 30.0, rows, end, len(facts["tokenizer"]), emit_end=True
    ) as steering:
        answers = generated(facts)
    return answers, steering.prompt


def word_of(facts: Facts) -> int:
    """A word of the labels."""
    tokens = [token for token in first_labels(facts)[1].tolist() if token >= 0]
    return tokens[len(tokens) // 2]


def arguments_of_generate(facts: Facts) -> dict[str, Any]:
    """The named arguments with which the model's own generate is called."""
    from probes.facts.core.observer import restore_afterwards

    arguments: dict[str, Any] = {}
    with restore_afterwards(facts["model"]):
        usual = facts["model"].generate

        def generate(*inputs: Any, **named: Any) -> Any:
            arguments.update(named)
            return usual(*inputs, **named)

        facts["model"].generate = generate
        generated(facts)
    return arguments
