"""How a finding speaks of the birth of a value that is not finite."""

from diagnose import Finding
from probes.facts.nonfinite.types import Origin

SHOWN = 5  # rows by name


def nonfinite_finding(origin: Origin, story: str, fix: str) -> Finding:
    """Where it was seen, where it was born, and what went in and came out there."""
    file, _, line = origin.line.rpartition(":")
    into = "; ".join(str(value) for value in origin.values)
    story += "" if origin.reproducible or origin.cause == "unsteady" else ", though not in every replay"
    return Finding(
        where=origin.where + _rows(origin),
        message=f"{origin.seen_in} is not finite: {story}" + (f" ({into})" if into else ""),
        fix=fix,
        measured={
            "phase": origin.phase,
            "module": origin.module,
            "call": origin.call,
            "operation": origin.operation,
            "precision": origin.precision,
            "rows": ", ".join(map(str, origin.rows)),
            "files": ", ".join(filter(None, origin.files)),
        },
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )


def _rows(origin: Origin) -> str:
    files = origin.files or ("",) * len(origin.rows)
    named = [f"row {row} ({name})" if name else f"row {row}" for row, name in zip(origin.rows, files, strict=True)]
    return f", {', '.join(named)}" if 0 < len(named) <= SHOWN else ""
