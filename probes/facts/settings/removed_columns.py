"""Which columns a transformers Trainer takes out of the items, and whether the collator can do without them."""

from collections.abc import Mapping, Sequence
from typing import Any

from probes.facts.core.failure import one_line, user_line
from probes.facts.core.fork import run_in_fork
from probes.facts.core.observer import restore_entries

ITEMS = 2


def columns_for(trainer: Any) -> frozenset[str]:
    """The columns that the Trainer keeps, by its own rule: a subclass may keep others than those of forward."""
    with restore_entries(vars(trainer)):
        trainer._set_signature_columns_if_needed()
        return frozenset(trainer._signature_columns)


def try_collate(dataset: Any, collate: Any, columns: frozenset[str]) -> tuple[tuple[str, ...], str, str]:
    """The items' columns; what the collator raised without those that are removed, and where. In a child."""
    return run_in_fork(lambda: _collated(dataset, collate, columns))


def _collated(dataset: Any, collate: Any, columns: frozenset[str]) -> tuple[tuple[str, ...], str, str]:
    items = [dataset[number] for number in range(min(ITEMS, len(dataset)))]
    if not all(isinstance(item, Mapping) for item in items):
        return (), "", ""
    present = tuple(str(name) for name in items[0])
    whole = _raised(collate, [dict(item) for item in items])
    cut = _raised(collate, [{name: item[name] for name in item if name in columns} for item in items])
    return (present, *cut) if cut[0] and not whole[0] else (present, "", "")


def _raised(collate: Any, items: Sequence[dict[str, Any]]) -> tuple[str, str]:
    try:
        collate(list(items))
    except Exception as error:
        return f"{type(error).__name__}: {one_line(str(error))}", user_line(error)
    return "", ""
