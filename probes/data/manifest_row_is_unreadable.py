from collections.abc import Sequence
from typing import Any

from diagnose import Finding, Findings, Severity, Stage, probe


@probe(id="DAT070", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT028", "DAT031"))
def manifest_row_is_unreadable(manifest_problems: Sequence[Any]) -> Findings:
    """A row of the manifest cannot be read, or its duration is no number above 0."""
    for problem in manifest_problems:
        message, _, fix = problem.message.rpartition("; ")
        yield Finding(
            where=f"{problem.path}:{problem.line}",
            message=message,
            fix=fix,
            severity=Severity.WARNING if problem.is_readable else None,
            file=str(problem.path),
            line=problem.line,
        )
