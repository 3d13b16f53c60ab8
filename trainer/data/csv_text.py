"""Comma, tab or semicolon separated text, read strictly: a broken quote is reported where it opens."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from diagnose.common.errors import InputError
from trainer.data.table import RowProblem

DELIMITERS = {"\t": "tab", ",": "comma", ";": "semicolon"}
MOST_PROBLEMS = 100  # each is read from its line to the end of the file
LINE_END = re.compile(r"\r\n|\r|\n")
LONGEST_FIELD = 2**31 - 1  # csv's own limit of 131,072 characters is shorter than some documents


def choose_delimiter(path: Path, header: str) -> str:
    """The delimiter of the extension, unless the header has only another one."""
    expected = "\t" if path.suffix.lower() in (".tsv", ".tab") else ","
    present = [delimiter for delimiter in (expected, *DELIMITERS) if delimiter in header]
    return present[0] if present else expected


def parse_rows(path: Path, text: str, delimiter: str) -> tuple[list[tuple[int, list[str]]], list[RowProblem]]:
    """Each row with the line it begins on, and those with a broken quote; blank lines are skipped."""
    found: list[tuple[int, list[str]]] = []
    problems: list[RowProblem] = []
    limit = csv.field_size_limit(LONGEST_FIELD)
    line = 1
    try:
        while line:
            line = _parse_from(line, text, delimiter, found)
            if line:
                problems.append(_broken_quote(path, text, delimiter, line))
                line = problems[-1].line + 1  # read on after the line where the quote opens
            if len(problems) > MOST_PROBLEMS:
                raise InputError(f"{problems[0]}; more than {MOST_PROBLEMS} rows have one")
    finally:
        csv.field_size_limit(limit)
    return found, problems


def _parse_from(line: int, text: str, delimiter: str, found: list[tuple[int, list[str]]]) -> int:
    """Appends the rows from this line on; the line of the row that has a broken quote, 0 at the end."""
    before, start = line - 1, line
    rest = text if line == 1 else text[_offset(text, line) :]
    reader = csv.reader(io.StringIO(rest, newline=""), delimiter=delimiter, strict=True)
    try:
        for fields in reader:
            if fields:
                found.append((start, fields))
            start = before + reader.line_num + 1
    except csv.Error:
        return start
    return 0


def _offset(text: str, line: int) -> int:
    ends = [match.end() for match in LINE_END.finditer(text)]
    return [0, *ends, len(text)][min(line - 1, len(ends) + 1)]


def _broken_quote(path: Path, text: str, delimiter: str, line: int) -> RowProblem:
    opening_line, column = _find_broken_quote(text, delimiter, line)
    message = (
        f"a quote opens in field {column} without a closing quote before a "
        f"{DELIMITERS[delimiter]} or the line end; close it, or double the quotes that belong to the text"
    )
    return RowProblem(path, opening_line, message)


def _find_broken_quote(text: str, delimiter: str, line: int) -> tuple[int, int]:
    """Line and column of the first field with a broken quote in the row that begins on `line`."""
    field = re.compile(rf'(?:"[^"]*+(?:""[^"]*+)*+"|[^"{delimiter}\r\n][^{delimiter}\r\n]*|)({delimiter})')
    ends = [match.end() for match in LINE_END.finditer(text)]
    position, column = ([0, *ends])[line - 1], 1
    while match := field.match(text, position):
        position, column = match.end(), column + 1
    return 1 + sum(end <= position for end in ends), column


def to_text(columns: Sequence[str], rows: Iterable[Sequence[str]], delimiter: str) -> str:
    """The table as text, which `parse_rows` reads back to the same fields."""
    # csv.writer would leave a field with a lone \r unquoted, which no reader can read back
    special = re.compile(rf'["\r\n{delimiter}]')

    def quoted(field: str) -> str:
        return '"' + field.replace('"', '""') + '"' if special.search(field) or len(columns) == 1 else field

    return "".join(delimiter.join(map(quoted, row)) + "\n" for row in (columns, *rows))
