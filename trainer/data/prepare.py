"""`train prepare`: clean a manifest, count what each rule changed or removed, save the removed rows.

The seeds' table says "cap too long": truncate a duration above 30 s to 30 s. Its audio would then be cut while its
text still says what is no longer heard, which teaches a model to invent words. So such a row is removed and counted.
Every clip is decoded to its end: what passes here does not stop a training run later.
"""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError
from diagnose.common.progress import progress
from trainer.config.schema import Audio, Config
from trainer.data.columns import configured_columns, rename_columns, usual_columns
from trainer.data.manifest import columns_of, read_table, write_rows
from trainer.data.row_cleaning import CleanedRow, RowRequirements, clean_row
from trainer.data.sample_rates import keep_durations
from trainer.data.table import LINE, ManifestTable, Row

if TYPE_CHECKING:
    from rich.table import Table

SPEECH_TEXTS = ("transcript", "translation")
DOCUMENT_TEXTS = ("document", "summary")
ORIGIN = ("removed_from_line", "removed_by", "removed_because")
AT_ONCE = 1024  # rows handed to the threads at a time


@dataclass(frozen=True)
class PrepareReport:
    """The result of a preparation; `changed` and `removed` count rows, by rule."""

    source: Path
    output: Path
    removed_path: Path
    rows_in: int
    rows_out: int
    seconds: float
    changed: dict[str, int]
    removed: dict[str, int]

    def table(self) -> "Table":
        """The cleaning table, for a terminal."""
        from rich.table import Table

        table = Table("rule", "rows", title=f"{self.rows_in:,} rows in, {self.rows_out:,} out")
        for action, counts in (("changed", self.changed), ("removed", self.removed)):
            for rule, count in counts.items():
                table.add_row(f"{rule} ({action})", f"{count:,}")
        return table


def prepare(
    source: str | Path,
    output: str | Path,
    data_root: str | Path = ".",
    audio: Audio | None = None,
    needed: Sequence[str] = (),
    columns: Mapping[str, str | None] | None = None,
) -> PrepareReport:
    """Clean a manifest of clips or documents; `needed` texts may not be empty, by default all there are.

    The speech columns may have other names, see `read_rows`; the clean manifest has ours.
    """
    source, output = Path(source), Path(output)
    if output.resolve() == source.resolve():
        raise InputError(f"{output}: the output is the input, and rows would be lost; choose another name")
    table = read_table(source)
    if _is_speech(table.columns, needed):
        table = rename_columns(table, columns or {})
    requirements = _requirements(table, tuple(needed), Path(data_root), audio or Audio())
    return _write(source, output, table.rows, requirements, keep_durations(_clean_all(table.rows, requirements)))


def prepare_for(config: Config, output: str | Path) -> PrepareReport:
    """Prepare the manifest that a configuration names, for the texts its task needs."""
    needed, columns = needed_texts(config), configured_columns(config)
    return prepare(config.manifest, output, config.paths.data_root, config.audio, needed, columns)


def needed_texts(config: Config) -> tuple[str, ...]:
    """The columns a run with this configuration reads its targets (and its documents) from."""
    if config.model.type == "mt5":
        return (config.data.document_column, config.data.summary_column)
    transcripts = config.model.task != "translate" or config.model.ctc_weight > 0
    translations = config.model.task != "transcribe"
    return tuple(name for name, needed in zip(SPEECH_TEXTS, (transcripts, translations), strict=True) if needed)


def _requirements(table: ManifestTable, needed: tuple[str, ...], root: Path, audio: Audio) -> RowRequirements:
    """The requirements for clips or for documents, by the columns there are."""
    speech = _is_speech(table.columns, needed)
    known = SPEECH_TEXTS if speech else needed or DOCUMENT_TEXTS
    present = tuple(name for name in known if name in table.columns)
    needed = needed or (present if speech else known) or known[:1]
    table.require(("audio_path", *needed) if speech else needed)
    return RowRequirements(present, needed, root, audio if speech else None)


def _is_speech(columns: Sequence[str], needed: Sequence[str]) -> bool:
    if needed:
        return not set(needed).isdisjoint(SPEECH_TEXTS)
    return "audio_path" in usual_columns(columns) or set(columns).isdisjoint(DOCUMENT_TEXTS)


def _clean_all(rows: Sequence[Row], requirements: RowRequirements) -> list[CleanedRow]:
    cleaned: list[CleanedRow] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool, progress("prepare", len(rows)) as advance:
        for start in range(0, len(rows), AT_ONCE):
            for row in pool.map(lambda row: clean_row(row, requirements), rows[start : start + AT_ONCE]):
                cleaned.append(row)
                advance()
    return cleaned


def _write(
    source: Path, output: Path, rows: Sequence[Row], requirements: RowRequirements, cleaned: Sequence[CleanedRow]
) -> PrepareReport:
    kept_rows = [row for row in cleaned if not row.removed]
    removed_rows = [row for row in cleaned if row.removed]
    columns, removed_path = columns_of(rows), output.with_name(f"{output.stem}_removed.tsv")
    _write_removed(removed_path, columns, removed_rows)
    removed = {rule: sum(row.removed == rule for row in removed_rows) for rule in requirements.removals}
    if not kept_rows:
        most = max(removed, key=lambda rule: removed[rule])
        first = next(row for row in removed_rows if row.removed == most)
        raise InputError(
            f"{source}: no row is left of {len(rows)}; {removed[most]} were removed by {most!r} (line "
            f"{first.row[LINE]}: {first.reason}); see {removed_path}"
        )
    added = ["duration"] if requirements.audio and "duration" not in columns else []
    write_rows(output, [row.row for row in kept_rows], [*columns, *added])
    changed = {rule: sum(rule in row.changed for row in kept_rows) for rule in requirements.changes}
    seconds = sum(row.seconds for row in kept_rows)
    return PrepareReport(source, output, removed_path, len(rows), len(kept_rows), seconds, changed, removed)


def _write_removed(path: Path, columns: Sequence[str], removed_rows: Sequence[CleanedRow]) -> None:
    """Write the removed rows unchanged, each with its line and the reason."""
    rows = [{**v.row, **dict(zip(ORIGIN, (v.row[LINE], v.removed, v.reason), strict=True))} for v in removed_rows]
    write_rows(path, rows, [*ORIGIN, *(name for name in columns if name not in ORIGIN)])
