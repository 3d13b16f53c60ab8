"""Faults of generating: in the call, in the settings, in the prompt."""

from collections.abc import Callable
from typing import Any

from probes.faults.changes import Facts


def two_rows(facts: Facts) -> Any:
    return facts["collate"]([facts["train_dataset"][number] for number in range(2)])


def generated(facts: Facts) -> Any:
    """What two rows are answered; None where it raises."""
    from probes.instruments.generation import quiet
    from probes.instruments.observer import observed

    with quiet(), observed(facts["model"]):
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
