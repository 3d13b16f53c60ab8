"""Manifests without the rows that a finding spoils, and the reason for each row that was left out."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.audit.findings_table import single_findings
from diagnose.common.atomic_write import write_files
from diagnose.common.errors import InputError
from diagnose.engine.types import Finding, Severity

if TYPE_CHECKING:
    from diagnose.engine.report import Report

REMOVED = "removed.csv"
LINE = "_line"
Places = dict[tuple[str, int], list[Finding]]


def write_clean(report: "Report", manifests: Sequence[Any], folder: Path, spoiling: Collection[str]) -> tuple[int, int]:
    """Writes each manifest into the folder as CSV; `spoiling` are the checks whose rows go. Returns rows kept and left.

    The manifests themselves are not touched: the folder must be another than theirs.
    """
    inputs = {Path(manifest.path).resolve() for manifest in manifests}
    targets = _targets(folder, manifests)
    taken = next((path for path in (*targets, folder / REMOVED) if path.resolve() in inputs), None)
    if taken is not None:
        raise InputError(f"{taken}: this is the manifest that was read, expected another folder; change --write-clean")
    bad = _spoiled(report, spoiling)
    contents: dict[Path, str | bytes] = {}
    kept = left = 0
    for path, manifest in zip(targets, manifests, strict=True):
        lines = {line for file, line in bad if file == str(manifest.path)}
        frame = manifest.frame.filter(~manifest.frame[LINE].is_in(list(lines)))
        kept, left = kept + frame.height, left + manifest.frame.height - frame.height
        contents[path] = frame.drop(LINE).write_csv()
    write_files({**contents, folder / REMOVED: _reasons(bad)})
    return kept, left


def _targets(folder: Path, manifests: Sequence[Any]) -> list[Path]:
    """One file for each manifest, by its name; a split of one file by its own."""
    stems = [Path(manifest.path).stem.replace(" ", "-") for manifest in manifests]
    if len(set(stems)) < len(stems):
        stems = [f"{stem}-{split}" for stem, split in zip(stems, ("train", "eval"), strict=False)]
    return [folder / f"{stem}.csv" for stem in stems]


def _spoiled(report: "Report", spoiling: Collection[str]) -> Places:
    """By file and line; a note is information and takes no row away."""
    found: Places = {}
    for one in single_findings(report):
        if one.probe in spoiling and one.severity is not Severity.NOTE and one.file and one.line:
            found.setdefault((one.file, one.line), []).append(one)
    return dict(sorted(found.items()))


def _reasons(bad: Places) -> str:
    import polars as pl

    rows = [(file, line, one.probe, one.message) for (file, line), found in bad.items() for one in found]
    return pl.DataFrame(rows, schema=("file", "line", "check", "reason"), orient="row").write_csv()
