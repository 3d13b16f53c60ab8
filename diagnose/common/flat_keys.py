"""Nested settings by their dotted keys."""

from collections.abc import Iterator, Mapping
from typing import Any


def flatten_keys(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """{"a": {"b": 1}} becomes {"a.b": 1}; an empty section stays, so that its removal is noticed."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        nested = isinstance(value, Mapping) and value
        flat |= flatten_keys(value, f"{prefix}{key}.") if nested else {f"{prefix}{key}": value}
    return flat


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], absent: Any = None, prefix: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """The dotted keys whose values differ, with both values; `absent` is the value of a missing key."""
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key, absent), after.get(key, absent)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differences(old, new, absent, f"{prefix}{key}.")
        elif old != new:
            yield f"{prefix}{key}", old, new
