"""Manifests: one row for each clip or document, as TSV or CSV, with the file and line of each row."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from diagnose.common.atomic_write import write_files
from diagnose.common.errors import InputError
from trainer.data.csv_text import choose_delimiter, parse_rows, to_text
from trainer.data.text_files import read_text

Row = dict[str, str]  # the columns of the file, and the two below
FILE, LINE = "_file", "_line"


def read_rows(path: str | Path, required: Sequence[str] = ()) -> list[Row]:
    """All rows of a manifest; refuses one that lacks a required column."""
    path = Path(path)
    text = read_text(path)
    if not text.strip():
        raise InputError(f"{path}: the file is empty, expected a line of column names and rows below; export it again")
    table = parse_rows(path, text, choose_delimiter(path, text.lstrip().split("\n", 1)[0]))
    line, names = table[0]
    columns = [name.strip() for name in names]
    _check_names(path, line, columns)
    require_columns(path, columns, required, line)
    rows = [_row(path, line, columns, fields) for line, fields in table[1:] if not _is_blank(fields, columns)]
    if not rows:
        raise InputError(f"{path}: found column names and no row below them; add rows or export the file again")
    return rows


def _check_names(path: Path, line: int, columns: Sequence[str]) -> None:
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise InputError(f"{path}, line {line}: column {_listed(twice)} stands there twice; rename or remove one")
    ours = [name for name in columns if name in (FILE, LINE)]
    if ours:
        raise InputError(f"{path}, line {line}: {_listed(ours)} is kept for the row's origin; rename the column")


def require_columns(path: Path, columns: Sequence[str], required: Sequence[str], line: int = 1) -> None:
    """Refuse missing columns, naming the nearest existing one of each."""
    missing = [name for name in required if name not in columns]
    if missing:
        remedy = " and ".join(
            _nearest(name, [column for column in columns if column not in required]) for name in missing
        )
        raise InputError(f"{path}, line {line}: no column {_listed(missing)}, found {_listed(columns)}; {remedy}")


def _nearest(name: str, columns: Sequence[str]) -> str:
    lowered = {column.lower(): column for column in columns}
    close = get_close_matches(name.lower(), lowered, n=1)
    return f"rename {lowered[close[0]]!r} to {name!r}" if close else f"add {name!r}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _is_blank(fields: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether a line has only spaces; in a table of one column that is a value."""
    return len(columns) > 1 and len(fields) == 1 and not fields[0].strip()


def _row(path: Path, line: int, columns: Sequence[str], fields: Sequence[str]) -> Row:
    if len(fields) != len(columns):
        raise InputError(
            f"{path}, line {line}: found {len(fields)} fields, expected {len(columns)} as in the column names; "
            "add what is missing, or quote the text that holds a separator"
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
