"""What changed between two receipts: "it worked yesterday"."""

from collections.abc import Iterator

from diagnose.gate.receipt import Receipt, mismatches


def differences(one: Receipt, other: Receipt) -> Iterator[str]:
    """One sentence for each thing that differs, from the first receipt to the second."""
    for what, was, is_ in (
        ("verdict", one.verdict, other.verdict),
        ("full preflight", one.full, other.full),
        ("audio and weights by content", one.digests.strict, other.digests.strict),
    ):
        if was != is_:
            yield f"{what}: was {_said(was)}, is {_said(is_)}"
    yield from mismatches(one, other.digests)
    yield from _by_key("ignored", one.ignored, other.ignored)
    yield from _by_key("probe", one.probes, other.probes)


def _by_key(what: str, one: dict[str, str], other: dict[str, str]) -> Iterator[str]:
    for key in sorted(one.keys() | other.keys()):
        if one.get(key) != other.get(key):
            yield f"{what} {key}: was {one.get(key, 'absent')}, is {other.get(key, 'absent')}"


def _said(value: str | bool) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
