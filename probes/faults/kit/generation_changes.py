"""Faults of generating: in the call, in the settings, in the prompt."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.changes import Facts


def two_rows(facts: Facts) -> Any:
    return facts["collate"]([facts["train_dataset"][number] for number in range(2)])


def generated(facts: Facts) -> Any:
    """What two rows are answered; None where it raises."""
    from probes.facts.core.hf_logging import silence_transformers
    from probes.facts.core.observer import restore_afterwards

    with silence_transformers(), restore_afterwards(facts["model"]):
        facts["model"].eval()
        try:
            return facts["generate"](facts["model"], two_rows(facts))
        except Exception:
            return None


def set_generation(facts: Facts, **settings: Any) -> Facts:
    for name, value in settings.items():
        setattr(facts["model"].generation_config, name, value)
    return facts


def setting(name: str, value: Any) -> Callable[[Facts], bool]:
    return lambda facts: getattr(getattr(facts["model"], "generation_config", None), name, None) == value


def spoken(facts: Facts, words: int) -> int:
    """How many tokens come out where the model says so many words, and then its end."""
    said = _held(facts, words)[0]
    return 0 if said is None else int(said.shape[1])


def prompt_of(facts: Facts) -> list[int]:
    """What generation begins with."""
    return (_held(facts, 1)[1] or [[]])[0]


def _held(facts: Facts, words: int) -> tuple[Any, list[list[int]]]:
    from probes.facts.generation.steering import SteeredGeneration
    from probes.faults.kit.biased_generation import word_of

    end, rows = facts["tokenizer"].eos_token_id, [[word_of(facts)] * words] * 2
    with SteeredGeneration(facts["model"], 4 * words, 30.0, rows, end, len(facts["tokenizer"]), gentle=True) as reins:
        said = generated(facts)
    return said, reins.prompt


def asked_of_generate(facts: Facts) -> dict[str, Any]:
    """What the model's own generate is told by whoever calls it."""
    from probes.facts.core.observer import restore_afterwards

    asked: dict[str, Any] = {}
    with restore_afterwards(facts["model"]):
        whole = facts["model"].generate

        def noted(*given: Any, **named: Any) -> Any:
            asked.update(named)
            return whole(*given, **named)

        facts["model"].generate = noted
        generated(facts)
    return asked
