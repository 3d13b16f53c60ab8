"""Manifests as columns: a million rows in a second, and each of them still as a dict where it is asked for."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
import polars as pl

from trainer.data.columns import renamed_columns
from trainer.data.csv_text import DELIMITERS, choose_delimiter
from trainer.data.hf_dataset import MARKERS, export_dataset
from trainer.data.manifest import DELIMITED, JSON_LINES, read_table
from trainer.data.table import FILE, LINE, ManifestTable, Row

MOST = 2**32  # bytes that are parsed at once; the strict reader takes larger files
PIECE = 2**18  # bytes, which stay in the cache of a core
Names = Mapping[str, str | None]


class ManifestFrame(Sequence[Row]):
    """Rows of a manifest. `frame` has its columns as text, and the line of each row."""

    def __init__(self, path: Path, frame: pl.DataFrame) -> None:
        self.path, self.frame = path, frame

    def __len__(self) -> int:
        return self.frame.height

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> "ManifestFrame": ...
    def __getitem__(self, index: int | slice) -> "Row | ManifestFrame":
        if isinstance(index, slice):
            return ManifestFrame(self.path, self.frame[index])
        return self._row(self.frame.row(index, named=True))

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, self.frame.iter_rows(named=True))

    def _row(self, values: dict[str, Any]) -> Row:
        return {**values, FILE: str(self.path), LINE: str(values[LINE])}


def open_manifest(path: Path, columns: Names | None = None) -> ManifestFrame:
    """All rows, with the speech columns under our names; what is not plain is read, or refused, by `read_table`."""
    fast = _read_fast(path)
    read = _frame_of(read_table(path)) if fast is None else fast
    own = tuple(name for name in read.columns if name != LINE)
    return ManifestFrame(path, _renamed(read, ManifestTable(path, own, []), columns or {}))


def open_dataset(path: Path, clips: Path) -> dict[str, ManifestFrame]:
    """The splits of a saved Hugging Face dataset; embedded clips are written to the folder."""
    tables = export_dataset(str(path), clips)
    return {
        split: ManifestFrame(Path(table.rows[0][FILE]), _renamed(_frame_of(table), table, {}))
        for split, table in tables.items()
    }


def is_saved_dataset(path: Path) -> bool:
    return any((path / marker).is_file() for marker in MARKERS)


def _renamed(frame: pl.DataFrame, table: ManifestTable, named: Names) -> pl.DataFrame:
    names = renamed_columns(table, named)
    return frame.select(LINE, *(pl.col(old).alias(new) for old, new in names.items()))


def _frame_of(table: ManifestTable) -> pl.DataFrame:
    values = {name: pl.Series([row[name] for row in table.rows], dtype=pl.String) for name in table.columns}
    return pl.DataFrame({**values, LINE: [int(row[LINE]) for row in table.rows]}, schema_overrides={LINE: pl.UInt32})


def _read_fast(path: Path) -> pl.DataFrame | None:
    """None where the file is not one row on each line, with every field: then the strict reader has a look."""
    suffix = path.suffix.lower()
    if not path.is_file() or suffix not in (*DELIMITED, *JSON_LINES) or path.name.endswith(".trans.txt"):
        return None
    if path.stat().st_size > MOST:
        return None
    data = path.read_bytes()
    if b"\0" in data or (b"\r" in data and data.count(b"\r") > data.count(b"\r\n")):
        return None
    try:
        frame = _read_json(data) if suffix in JSON_LINES else _read_delimited(path, data)
    except (pl.exceptions.PolarsError, UnicodeDecodeError):
        return None
    if frame is None or not frame.height or {FILE, LINE} & set(frame.columns):
        return None
    first = 1 if suffix in JSON_LINES else 2
    lines = _count(data, "\n") + (not data.endswith(b"\n"))
    return frame.with_row_index(LINE, first) if lines == frame.height + first - 1 else None


def _read_delimited(path: Path, data: bytes) -> pl.DataFrame | None:
    header = data[: data.find(b"\n") + 1 or len(data)].decode("utf-8-sig")
    delimiter = choose_delimiter(path, header)
    names = [name.strip() for name in header.rstrip("\r\n").split(delimiter)]
    if '"' in header or not header.strip() or len(set(names)) < len(names):
        return None
    frame = pl.read_csv(data, separator=delimiter, infer_schema=False, empty_string_is_null=False, new_columns=names)
    fields = _count(data, delimiter) == (frame.height + 1) * (len(names) - 1)
    full = fields if b'"' not in data else bool((frame[names[-1]] != "").all())
    blank = len(names) == 1 or frame.select(pl.all_horizontal(pl.col(names[1:]) == "").any()).item()
    return frame if full and delimiter in DELIMITERS and not blank else None


def _read_json(data: bytes) -> pl.DataFrame | None:
    """Objects of plain values; of whole files, since an offset is refused by the strict reader."""
    frame = pl.read_ndjson(data, infer_schema_length=None)
    plain = all(kind == pl.String or kind.is_numeric() for kind in frame.dtypes)
    if not plain or "offset" in frame.columns or b"\n\n" in data:
        return None
    return frame.select(pl.all().cast(pl.String).fill_null(""))


def _count(data: bytes, character: str) -> int:
    """As `bytes.count`, which is slow for what is frequent."""
    every = np.frombuffer(data, np.uint8)
    pieces = (every[start : start + PIECE] for start in range(0, len(every), PIECE))
    return sum(int(np.count_nonzero(piece == ord(character))) for piece in pieces)
