"""What changed between two receipts: "it worked yesterday"."""

from collections.abc import Iterator

from diagnose.gate.receipt import Receipt, mismatches, value_changes


def receipt_differences(before: Receipt, after: Receipt) -> Iterator[str]:
    """One sentence for each thing that differs, from the first receipt to the second."""
    for name, old, new in (
        ("verdict", before.verdict, after.verdict),
        ("full preflight", _yes_or_no(before.full), _yes_or_no(after.full)),
        ("audio and weights by content", _yes_or_no(before.digests.strict), _yes_or_no(after.digests.strict)),
    ):
        if old != new:
            yield f"{name}: was {old}, is {new}"
    yield from mismatches(before, after.digests)
    yield from (f"ignored {change}" for change in value_changes(before.ignored, after.ignored, ":"))
    yield from (f"probe {change}" for change in value_changes(before.probes, after.probes, ":"))


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"
