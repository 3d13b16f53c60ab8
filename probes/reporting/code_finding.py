"""Findings about a line of code."""

from diagnose import Finding, Severity
from diagnose.engine.types import Number


def code_finding(
    location: str, where: str, message: str, fix: str, severity: Severity | None = None, /, **measured: Number
) -> Finding:
    """A finding that points at `file:line`, where that is known; None is the probe's severity."""
    file, _, line = location.rpartition(":")
    return Finding(where, message, fix, measured, severity, file or None, int(line) if line.isdigit() else None)
