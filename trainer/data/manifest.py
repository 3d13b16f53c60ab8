"""Manifests: one row for each clip or document, from CSV, TSV, JSON lines or a folder of clips beside texts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from diagnose.common.atomic_write import write_files
from diagnose.common.errors import InputError
from trainer.data.audio_folder import read_audio_folder, read_librispeech_texts
from trainer.data.columns import rename_columns
from trainer.data.csv_text import choose_delimiter, parse_rows, to_text
from trainer.data.json_lines import read_json_lines
from trainer.data.table import FILE, LINE, ManifestTable, Row, RowProblem
from trainer.data.text_files import read_text

NUL = "found a NUL byte, expected text; export the file again"
DELIMITED = (".csv", ".tsv", ".tab", ".txt")
JSON_LINES = (".jsonl", ".json", ".ndjson")
MANIFESTS = (*DELIMITED, *JSON_LINES)


def read_rows(
    path: str | Path, required: Sequence[str] = (), columns: Mapping[str, str | None] | None = None
) -> list[Row]:
    """All rows of a manifest; refuses one that lacks a required column.

    `columns` gives speech columns their names (audio_path, transcript, translation, duration): it maps each to the
    name it has in the file, None or absent where that is to be guessed. Without it, all names stay as they are.
    """
    table = read_table(Path(path))
    if columns is not None:
        table = rename_columns(table, columns)
    table.require(required)
    return table.rows


def read_readable_rows(
    path: Path, columns: Mapping[str, str | None] | None = None
) -> tuple[list[Row], list[RowProblem]]:
    """The rows that can be read, for a diagnosis, and what is wrong with the others and with durations."""
    table = _read_table(path)
    rows = (table if columns is None else rename_columns(table, columns)).rows
    return rows, [*table.problems, *duration_problems(rows)]


def read_table(path: Path) -> ManifestTable:
    """A manifest of any format, with the names of its own columns; refuses one with rows that cannot be read."""
    table = _read_table(path)
    table.require_readable()
    return table


def _read_table(path: Path) -> ManifestTable:
    """Rows that cannot be read are in its `problems`."""
    if path.is_dir():
        return read_audio_folder(path)
    if path.is_file() and path.suffix.lower() not in MANIFESTS:
        known = ", ".join(name for name in MANIFESTS if name != ".txt")
        raise InputError(
            f"{path}: found the extension {path.suffix!r}, expected one of {known} or a folder of audio files; "
            "export the manifest as CSV or JSON lines"
        )
    if path.suffix.lower() in JSON_LINES:
        return read_json_lines(path)
    return read_librispeech_texts(path) if path.name.endswith(".trans.txt") else _read_delimited(path)


def _read_delimited(path: Path) -> ManifestTable:
    text = read_text(path, refuse_nul=False)
    if not text.strip():
        raise InputError(f"{path}: the file is empty, expected a line of column names and rows below; export it again")
    lines, problems = parse_rows(path, text, choose_delimiter(path, text.lstrip().split("\n", 1)[0]))
    if not lines or (problems and problems[0].line <= lines[0][0]) or any("\0" in name for name in lines[0][1]):
        raise InputError(str(problems[0]) if problems else f"{path}, line 1: {NUL}")
    line, names = lines[0]
    columns = tuple(name.strip() for name in names)
    table = ManifestTable(path, columns, [], line, problems)
    for line, fields in lines[1:]:
        if not _is_blank(fields, columns):
            row = _row(path, line, columns, fields)
            if isinstance(row, RowProblem):
                problems.append(row)
            else:
                table.rows.append(row)
    problems.sort(key=lambda problem: problem.line)
    if not table.rows and problems:
        raise InputError(str(problems[0]))
    if not table.rows:
        raise InputError(f"{path}: found column names but no rows; add rows or export the file again")
    return table


def _is_blank(fields: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether a line has only spaces; in a table of one column that is a value."""
    return len(columns) > 1 and len(fields) == 1 and not fields[0].strip()


def _row(path: Path, line: int, columns: Sequence[str], fields: Sequence[str]) -> Row | RowProblem:
    if any("\0" in field for field in fields):
        return RowProblem(path, line, NUL)
    if len(fields) != len(columns):
        found = f"found {len(fields)} fields, expected {len(columns)} as in the column names"
        return RowProblem(path, line, f"{found}; add the missing fields, or quote the text that contains a separator")
    row = dict(zip(columns, fields, strict=True))
    row[FILE], row[LINE] = str(path), str(line)
    return row


def row_id(row: Row) -> str:
    """`train.csv:17`: the file and line of the row."""
    return f"{row.get(FILE, 'row')}:{row.get(LINE, '?')}"


def duration_problems(rows: Iterable[Row]) -> list[RowProblem]:
    """Durations that are no positive number: the audio headers are read instead."""
    remedy = "expected seconds above 0; correct it, or leave it empty"
    return [
        RowProblem(Path(row[FILE]), int(row[LINE]), f"the duration is {row['duration'][:40]!r}, {remedy}", True)
        for row in rows
        if row.get("duration", "").strip() and duration_of(row) is None
    ]


def duration_of(row: Row) -> float | None:
    """The duration column in seconds; None if it is missing or not a positive number."""
    try:
        seconds = float(row.get("duration", ""))
    except ValueError:
        return None
    return seconds if 0 < seconds < float("inf") else None


def columns_of(rows: Sequence[Row]) -> list[str]:
    """The file's own columns, in its order."""
    return [name for name in rows[0] if name not in (FILE, LINE)]


def table_text(path: Path, rows: Iterable[Row], columns: Sequence[str]) -> str:
    """The rows as the text of a file of that name: tabs in a .tsv, commas elsewhere."""
    fields = ([row.get(name, "") for name in columns] for row in rows)
    return to_text(columns, fields, choose_delimiter(path, ""))


def write_rows(path: str | Path, rows: Iterable[Row], columns: Sequence[str]) -> None:
    """Write a manifest atomically."""
    write_files({Path(path): table_text(Path(path), rows, columns)})
