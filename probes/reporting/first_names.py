"""Names in a message."""

from collections.abc import Sequence


def first_names(names: Sequence[str], limit: int = 5) -> str:
    """`a, b, …`: the first of them, with an ellipsis where there are more."""
    return ", ".join(names[:limit]) + (", …" if len(names) > limit else "")
