"""Findings about steps of a run."""

from diagnose import Finding, Severity
from diagnose.engine.types import Number
from diagnose.records import Records, Series


def step_finding(
    records: Records, step: int, message: str, fix: str, severity: Severity | None = None, **measured: Number
) -> Finding:
    """A finding at a step, in the log that it was read from; None is the probe's severity."""
    return Finding(f"step {step}", message, fix, {"step": step, **measured}, severity, records.source or None)


def step_range(series: Series) -> str:
    """`steps 3 to 40`."""
    return f"steps {series.steps[0]} to {series.steps[-1]}"
