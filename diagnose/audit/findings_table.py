"""All findings of an audit as a table: one line for each place, the worst first."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.common.atomic_write import write_atomically
from diagnose.common.errors import InputError
from diagnose.engine.root_causes import by_severity
from diagnose.engine.types import Finding

if TYPE_CHECKING:
    import polars as pl

    from diagnose.engine.report import Report

FORMATS = (".parquet", ".csv", ".jsonl")
AUDIO = "audio_path"
Manifests = Sequence[Any]  # of rows by number, with their columns as `frame` and their file as `path`


def single_findings(report: "Report") -> list[Finding]:
    """Every place of every finding, by severity, then in the order of the checks."""
    return [one for finding in by_severity(report.findings) for one in finding.singles]


def counts_by_kind(report: "Report") -> Iterator[tuple[str, str, str, int]]:
    """Severity, id and name of each check that found something, and in how many places; the worst first."""
    names = {outcome.probe: outcome.name for outcome in report.outcomes}
    kinds = Counter((str(one.severity), one.probe) for one in single_findings(report))
    for (severity, probe), count in kinds.items():
        yield severity, probe, names[probe], count


def write_findings(report: "Report", manifests: Manifests, path: Path) -> int:
    """Writes the table as parquet, CSV or JSON lines, by the name of the file; returns the number of its lines."""
    import io

    if path.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise InputError(f"{path}: found the extension {path.suffix!r}, expected one of {known}; rename the file")
    table, content = _table(report, manifests), io.BytesIO()
    write: Mapping[str, Callable[[Any], Any]] = {
        ".parquet": table.write_parquet,
        ".csv": table.write_csv,
        ".jsonl": table.write_ndjson,
    }
    write[path.suffix.lower()](content)
    write_atomically(path, content.getvalue())
    return table.height


def _table(report: "Report", manifests: Manifests) -> "pl.DataFrame":
    import polars as pl

    names = {outcome.probe: outcome.name for outcome in report.outcomes}
    audio = _audio_paths(report, manifests)
    rows = [_row(one, names, audio) for one in single_findings(report)]
    kinds = {"line": pl.Int64, **dict.fromkeys(("severity", "id", "check", "file"), pl.String)}
    order = ("severity", "id", "check", "file", "line", AUDIO, "where", "message", "fix", "measured")
    return pl.DataFrame(rows, schema={name: kinds.get(name, pl.String) for name in order}, orient="row")


def _row(one: Finding, names: Mapping[str, str], audio: Mapping[tuple[str, int], str]) -> tuple[Any, ...]:
    place = (one.file or "", one.line or 0)
    measured = json.dumps(dict(one.measured), default=str, ensure_ascii=False)
    head = (str(one.severity), one.probe, names[one.probe], one.file, one.line, audio.get(place))
    return (*head, one.where, one.message, one.fix, measured)


def audio_files(report: "Report", manifests: Manifests, root: Any) -> dict[tuple[str, int], str]:
    """The file of each row that a finding is about."""
    return {place: os.path.join(str(root), name) for place, name in _audio_paths(report, manifests).items()}  # noqa: PTH118


def _audio_paths(report: "Report", manifests: Manifests) -> dict[tuple[str, int], str]:
    """The audio of each row that a finding is about."""
    import polars as pl

    places = {(one.file or "", one.line or 0) for one in single_findings(report)}
    found: dict[tuple[str, int], str] = {}
    for manifest in manifests:
        lines = [line for file, line in places if file == str(manifest.path)]
        if lines and AUDIO in manifest.frame.columns:
            some = manifest.frame.filter(pl.col("_line").is_in(lines)).select("_line", AUDIO)
            found |= {(str(manifest.path), line): audio for line, audio in some.iter_rows()}
    return found
