"""A person's evaluation, metric function or generation: another one in its place, and what calling it shows."""

from collections.abc import Callable, Mapping
from typing import Any

from diagnose import Fault
from probes.faults.kit.change_faults import change_fault
from probes.faults.kit.changes import Facts, collate_rows, label_key


def function_fault(
    name: str,
    description: str,
    probe_id: str,
    is_present: Callable[[Facts], bool],
    applies_to: tuple[str, ...] = ("*",),
) -> Callable[[Callable[[Facts], Callable[..., Any]]], Fault]:
    """A fault whose function makes another function of that name, e.g. another evaluate, out of the facts."""
    return change_fault(
        lambda facts, make: with_function(facts, name, make(facts)),
        description,
        probe_id,
        lambda facts: is_replaced(facts, name) and is_present(facts),
        applies_to,
    )


def with_function(facts: Facts, name: str, function: Callable[..., Any]) -> Facts:
    """The facts with another function of that name, which knows the one before it."""
    function.before = facts[name]  # type: ignore[attr-defined]
    return {**facts, name: function}


def is_replaced(facts: Facts, name: str) -> bool:
    """Looked at first: a call of a person's whole evaluation takes long."""
    return hasattr(facts.get(name), "before")


def some_labels(facts: Facts, rows: int = 4) -> Any:
    """As a metric function gets them: numbers, with -100 where there is no token."""
    batch = collate_rows(facts, *range(rows))
    if "labels_of" in facts:
        return facts["labels_of"](batch).numpy()
    return (batch[label_key(batch)] if isinstance(batch, Mapping) else batch[1]).numpy()


def one_hot(labels: Any) -> Any:
    """Scores that predict these labels."""
    import numpy as np

    return np.eye(int(labels.max()) + 1)[labels]


def exact_match(decode: Callable[[Any], list[str]]) -> Callable[..., dict[str, float]]:
    """A metric function: the share of texts that are the labels' to the letter."""

    def compute_metrics(predictions: Any, labels: Any) -> dict[str, float]:
        texts, references = decode(predictions), decode(labels)
        return {"exact": sum(map(str.__eq__, texts, references)) / len(texts)}

    return compute_metrics


def modes_of(facts: Facts, call: Callable[[], Any]) -> set[bool]:
    """Whether the model was in training mode whenever something called it."""
    from probes.facts.core.observer import restore_afterwards

    modes: set[bool] = set()
    with restore_afterwards(facts["model"]):
        parts = list(facts["model"].children())
        for part in parts:
            part.register_forward_pre_hook(lambda module, inputs: modes.add(module.training))
        call()
    return modes
