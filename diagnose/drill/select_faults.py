"""Which faults: all that are registered, or those whose ids match."""

from collections.abc import Iterator, Sequence
from fnmatch import filter as matching

from diagnose.common.errors import InputError
from diagnose.engine import discovery
from diagnose.engine.decorators import Fault
from diagnose.engine.user_facts import nearest


def select_faults(patterns: Sequence[str]) -> tuple[Fault, ...]:
    """A pattern that matches nothing is bad input: a misspelt fault must not look like one that was caught."""
    found = discovery.faults()
    if found.unreadable:
        first = found.unreadable[0]
        raise InputError(f"{first.probe}: its faults cannot be read ({first.reason}); fix the package first")
    ids = [fault.id for fault in found.items]
    for pattern in patterns:
        if not matching(ids, pattern):
            raise InputError(f"there is no fault {pattern!r}{nearest(pattern, ids)}; diagnose drill --list shows them")
    selected = {id for pattern in patterns for id in matching(ids, pattern)} if patterns else set(ids)
    return tuple(fault for fault in found.items if fault.id in selected)


def format_faults(faults: Sequence[Fault]) -> Iterator[str]:
    width = max(len(fault.id) for fault in faults)
    return (f"{fault.id:{width}}  {fault.probe_id}  {fault.description}" for fault in faults)
