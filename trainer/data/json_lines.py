"""JSON lines: one object on each line, as NeMo and Hugging Face write manifests."""

import json
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from trainer.data.table import FILE, LINE, ManifestTable, Row, RowProblem
from trainer.data.text_files import read_text

EXPECTED = 'expected one JSON object such as {"audio_filepath": "a.wav", "text": "hello"}'


def read_json_lines(path: Path) -> ManifestTable:
    """The columns are the keys of all objects, in the order of their first appearance; a missing value is empty."""
    found, problems = [], []
    for line, text in enumerate(read_text(path, refuse_nul=False).split("\n"), 1):
        try:
            found += [(line, _object(text))] if text.strip() else []
        except ValueError as error:
            problems.append(RowProblem(path, line, str(error)))
    if not found and problems:
        raise InputError(str(problems[0]))
    if not found:
        raise InputError(f"{path}: found no row, {EXPECTED} on each line; export the file again")
    columns = tuple(dict.fromkeys(key for _, values in found for key in values))
    table = ManifestTable(path, columns, [], problems=problems)
    for line, values in found:
        row: Row = {name: as_text(values.get(name)) for name in columns}
        row[FILE], row[LINE] = str(path), str(line)
        table.rows.append(row)
    return table


def _object(text: str) -> dict[str, Any]:
    """The object of a line; raises ValueError with what is wrong with it."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        shown = text.strip()[:40]
        raise ValueError(f"found {shown!r}, which is not JSON, {EXPECTED}; correct the line") from error
    if not isinstance(values, dict):
        kind = "a list" if isinstance(values, list) else f"the value {text.strip()[:40]}"
        raise ValueError(f"found {kind}, {EXPECTED}; write one object on each line")
    if as_text(values.get("offset")) not in ("", "0", "0.0"):
        raise ValueError(
            f"'offset' is {values['offset']}, expected 0, since a row is a whole file; "
            "cut the recording into one file for each row"
        )
    return values


def as_text(value: Any) -> str:
    """A value as the text of a column; of Hugging Face's audio objects, the path."""
    if value is None:
        return ""
    if isinstance(value, dict) and isinstance(value.get("path"), str):
        return value["path"]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
