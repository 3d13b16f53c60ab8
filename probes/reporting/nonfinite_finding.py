"""Findings about a value that is not finite."""

from diagnose import Finding, Severity
from diagnose.engine.types import Number
from probes.facts.nonfinite.types import Origin
from probes.reporting.code_finding import code_finding

SHOWN = 5  # rows by name


def nonfinite_finding(
    origin: Origin, story: str, fix: str, severity: Severity | None = None, /, **measured: Number
) -> Finding:
    """Where it was found, the operation that produced it, and the inputs and outputs of that operation."""
    into = "; ".join(str(value) for value in origin.values)
    story += "" if origin.reproducible or origin.cause == "unsteady" else ", though not in every replay"
    return code_finding(
        origin.line,
        origin.where + _rows(origin),
        f"{origin.observed_in} is not finite: {story}" + (f" ({into})" if into else ""),
        fix,
        severity,
        phase=origin.phase,
        module=origin.module,
        call=origin.call,
        operation=origin.operation,
        precision=origin.precision,
        rows=", ".join(map(str, origin.rows)),
        files=", ".join(filter(None, origin.files)),
        **measured,
    )


def _rows(origin: Origin) -> str:
    files = origin.files or ("",) * len(origin.rows)
    named = [f"row {row} ({name})" if name else f"row {row}" for row, name in zip(origin.rows, files, strict=True)]
    return f", {', '.join(named)}" if 0 < len(named) <= SHOWN else ""
