"""How a finding speaks of the birth of a value that is not finite."""

from collections.abc import Iterator

from diagnose import Finding
from probes.measured.origin import Origin

SHOWN = 5


def born(origin: Origin | None, cause: str, fix: str, story: str) -> Iterator[Finding]:
    """The finding of one cause: nothing where the origin is none or another."""
    if origin is None or origin.cause != cause:
        return
    file, _, line = origin.line.rpartition(":")
    into = "; ".join(str(value) for value in origin.values)
    yield Finding(
        where=_where(origin),
        message=f"{origin.reached} is not finite: {story}" + (f" ({into})" if into else ""),
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


def _where(origin: Origin) -> str:
    named = [f"row {row} ({name})" if name else f"row {row}" for row, name in _rows(origin)]
    rows = f", {', '.join(named[:SHOWN])}" if 0 < len(named) <= SHOWN else ""
    return f"{origin.where}{rows}"


def _rows(origin: Origin) -> list[tuple[int, str]]:
    files = origin.files or ("",) * len(origin.rows)
    return list(zip(origin.rows, files, strict=True))
