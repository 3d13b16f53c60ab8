"""What a split keeps together: the rows of one video or speaker, or those with the same text."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from diagnose.common.errors import InputError
from trainer.data.columns import group_columns
from trainer.data.manifest import row_id
from trainer.data.table import Row

ROW = "row"
TEXTS = ("transcript", "translation", "document")


@dataclass(frozen=True)
class RowGroups:
    """The group of each row, the column it was read from ("row" if from none), and why that one."""

    column: str
    names: list[str]
    reason: str
    name_of: Callable[[Row], str]


def choose_groups(rows: Sequence[Row], column: str | None, least: int) -> RowGroups:
    """By the column that is named, else the first of the usual ones with enough values, else by row."""
    if column is not None:
        names = [_required(row, column) for row in rows]
        return RowGroups(column, names, f"split by {column!r}", partial(_value_of, column))
    passed_over = []
    for candidate in group_columns(rows[0]):
        values = [_composed(row[candidate]) for row in rows]
        if all(values) and len(set(values)) >= least:
            reason = f"split by {candidate!r}, as data.group_column is not set"
            return RowGroups(candidate, values, reason, partial(_value_of, candidate))
        problem = f"fewer than {least} different values" if all(values) else "empty values"
        passed_over.append(f"{candidate!r} has {problem}")
    why = " and ".join(passed_over) or "no column names a video or a speaker"
    return RowGroups(ROW, [_text_or_row(row) for row in rows], f"split by row, as {why}", _text_or_row)


def _text_or_row(row: Row) -> str:
    """The text, since a sentence that is in two sets is no test; the row where there is none."""
    text = next((row[name] for name in TEXTS if row.get(name, "").strip()), "")
    return " ".join(_composed(text).casefold().split()) or row_id(row)


def _composed(text: str) -> str:
    """Without surrounding spaces and in composed Unicode (NFC)."""
    return unicodedata.normalize("NFC", text).strip()


def _value_of(column: str, row: Row) -> str:
    return _composed(row[column])


def _required(row: Row, column: str) -> str:
    name = _composed(row[column])
    if not name:
        raise InputError(f"{row_id(row)}: {column!r} is empty, so the row may leak into another set; fill it in")
    return name
