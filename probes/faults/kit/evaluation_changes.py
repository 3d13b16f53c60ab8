"""What a person's evaluation, metric function or generation does, asked by calling it; and what stood there before."""

from collections.abc import Callable, Mapping
from typing import Any

from probes.faults.kit.changes import Facts, label_key


def instead(facts: Facts, name: str, function: Callable[..., Any]) -> Facts:
    """The facts with another function of that name, which knows the one before it."""
    function.before = facts[name]  # type: ignore[attr-defined]
    return {**facts, name: function}


def replaced(facts: Facts, name: str) -> bool:
    """Asked first: calling a person's whole evaluation for nothing is dear."""
    return hasattr(facts.get(name), "before")


def raises(function: Callable[..., Any], *given: Any) -> bool:
    try:
        function(*given)
    except Exception:
        return True
    return False


def some_labels(facts: Facts, rows: int = 4) -> Any:
    """As a metric function is given them: numbers, with -100 where there is no token."""
    batch = facts["collate"]([facts["train_dataset"][number] for number in range(rows)])
    if "labels_of" in facts:
        return facts["labels_of"](batch).numpy()
    return (batch[label_key(batch)] if isinstance(batch, Mapping) else batch[1]).numpy()


def modes_of(facts: Facts, call: Callable[[], Any]) -> set[bool]:
    """Whether the model was in training mode whenever something called it."""
    from probes.facts.core.observer import restore_afterwards

    modes: set[bool] = set()
    with restore_afterwards(facts["model"]):
        parts = list(facts["model"].children())
        for part in parts:
            part.register_forward_pre_hook(lambda module, given: modes.add(module.training))
        call()
    return modes
