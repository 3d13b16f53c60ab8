"""Manifests: one row for each clip or document, from CSV, TSV, JSON lines or a folder of clips beside texts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from diagnose.common.atomic_write import write_files
from diagnose.common.errors import InputError
from trainer.data.audio_folder import read_audio_folder, read_librispeech_texts
from trainer.data.columns import rename_columns
from trainer.data.csv_text import choose_delimiter, parse_rows, to_text
from trainer.data.json_lines import read_json_lines
from trainer.data.table import FILE, LINE, ManifestTable, Row
from trainer.data.text_files import read_text

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


def read_table(path: Path) -> ManifestTable:
    """A manifest of any format, with the names of its own columns."""
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
    text = read_text(path)
    if not text.strip():
        raise InputError(f"{path}: the file is empty, expected a line of column names and rows below; export it again")
    lines = parse_rows(path, text, choose_delimiter(path, text.lstrip().split("\n", 1)[0]))
    line, names = lines[0]
    columns = tuple(name.strip() for name in names)
    table = ManifestTable(path, columns, [], line)
    table.rows.extend(_row(path, line, columns, fields) for line, fields in lines[1:] if not _is_blank(fields, columns))
    if not table.rows:
        raise InputError(f"{path}: found column names but no rows; add rows or export the file again")
    return table


def _is_blank(fields: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether a line has only spaces; in a table of one column that is a value."""
    return len(columns) > 1 and len(fields) == 1 and not fields[0].strip()


def _row(path: Path, line: int, columns: Sequence[str], fields: Sequence[str]) -> Row:
    if len(fields) != len(columns):
        raise InputError(
            f"{path}, line {line}: found {len(fields)} fields, expected {len(columns)} as in the column names; add "
            "the missing fields, or quote the text that contains a separator"
        )
    row = dict(zip(columns, fields, strict=True))
    row[FILE], row[LINE] = str(path), str(line)
    return row


def row_id(row: Row) -> str:
    """`train.csv:17`: the file and line of the row."""
    return f"{row.get(FILE, 'row')}:{row.get(LINE, '?')}"


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
