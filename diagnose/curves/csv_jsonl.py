"""Entries of CSV, TSV and JSONL logs, each with its line."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError

Entry = tuple[str, dict[str, Any]]
DELIMITERS = {".tsv": "\t", ".csv": ","}


def rows_of(path: Path) -> Iterator[Entry]:
    """The rows of a table with a head line."""
    lines = _lines(path)
    sample = lines[0] if lines else ""
    delimiter = max(",\t;", key=sample.count) if sample.strip() else DELIMITERS[path.suffix.lower()]
    reader = csv.DictReader(lines, delimiter=delimiter)
    try:
        for row in reader:
            if None in row:
                raise InputError(
                    f"{path}, line {reader.line_num}: more fields than the {len(reader.fieldnames or [])} of the "
                    "header; quote or drop this line"
                )
            yield f"{path}, line {reader.line_num}", dict(row)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: cannot be read as a table ({error})") from error


def lines_of(path: Path) -> Iterator[Entry]:
    """The objects of a JSON Lines log."""
    lines = _lines(path)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            if number == len(lines) and not line.endswith("\n"):
                return  # a run that was killed while it wrote
            raise InputError(f"{path}, line {number}: is not JSON ({error}); expected one object per line") from error
        if not isinstance(entry, dict):
            raise InputError(f"{path}, line {number}: found {type(entry).__name__}, expected an object with metrics")
        yield f"{path}, line {number}", entry


def _lines(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.readlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text ({error.reason}); pass a CSV, TSV or JSONL log") from error
