"""Faults whose function is the change itself, of labels for instance, and not what puts it into the facts."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from diagnose import Fault, fault
from probes.faults.kit.model_parts import Facts

Change = Callable[..., Any]


def change_fault(
    inject: Callable[[Facts, Any], Facts],
    description: str,
    probe_id: str,
    is_present: Callable[[Facts], bool],
    applies_to: tuple[str, ...] = ("*",),
    note: bool = False,
) -> Callable[[Change], Fault]:
    """Marks a change as a fault of its name; `inject(facts, change)` puts it in."""

    def mark(change: Change) -> Fault:
        @wraps(change)
        def inject_change(facts: Facts) -> Facts:
            return inject(facts, change)

        return fault(description, probe_id, is_present, applies_to, note)(inject_change)

    return mark


def raises(call: Callable[[], Any], kind: type[Exception] = Exception, message: str = "") -> bool:
    """Whether a call raises this kind of exception, with this in its message."""
    try:
        call()
    except kind as error:
        return message in str(error)
    return False
