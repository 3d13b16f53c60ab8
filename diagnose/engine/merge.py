"""Many findings of one probe that share fix and severity are one finding, which keeps each of them."""

from collections.abc import Iterable
from dataclasses import replace

from diagnose.engine.root_causes import SHOWN
from diagnose.engine.types import Finding, Severity

Key = tuple[str, Severity | None]


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """At most SHOWN of a group stay single; a larger group becomes one finding at the place of its first."""
    groups: dict[Key, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_key(finding), []).append(finding)
    return tuple(one for group in _in_order(groups) for one in group)


def _in_order(groups: dict[Key, list[Finding]]) -> Iterable[list[Finding]]:
    return ([_merged(group)] if len(group) > SHOWN else group for group in groups.values())


def _key(finding: Finding) -> Key:
    return finding.fix, finding.severity


def _merged(group: list[Finding]) -> Finding:
    """The first five places by name, and the message that all share or the first with its place."""
    first, count = group[0], f"{len(group):,}"
    where = f"{count} places: {', '.join(one.where for one in group[:SHOWN])}, and {len(group) - SHOWN:,} more"
    same = all(one.message == first.message for one in group)
    message = first.message if same else f"at {first.where}: {first.message}"
    return replace(first, where=where, message=message, instances=tuple(group))
