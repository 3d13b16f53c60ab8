"""Findings about rows, each at its place in its manifest."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from diagnose import Finding, Severity
from diagnose.engine.types import Number
from probes.facts.corpus.types import CorpusRow

Item = TypeVar("Item")


def row_finding(
    row: CorpusRow, message: str, fix: str, severity: Severity | None = None, **measured: Number
) -> Finding:
    """A finding that points at the row's own line; None is the probe's severity."""
    return Finding(row.where, message, fix, measured, severity, row.file, row.line)


def note_unless(many: bool) -> Severity | None:
    """What is a warning when much of the corpus has it is a note in a few rows."""
    return None if many else Severity.NOTE


def worst_first(items: Iterable[tuple[float, Item]]) -> Sequence[Item]:
    """By how bad they are, the order within equals kept."""
    return [item for _, item in sorted(items, key=lambda pair: -pair[0])]
