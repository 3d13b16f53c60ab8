"""Rows that are made when they are asked for: a corpus of a million rows is a table, not a million objects."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from probes.facts.corpus.manifest_rows import AUDIO, OURS, TEXTS, locate, read_row
from probes.facts.corpus.types import CorpusRow


class RowTable(Sequence[CorpusRow]):
    """The rows of a manifest that has its columns as `frame`, a polars DataFrame of text."""

    def __init__(self, rows: Any, root: str | Path | None, split: str, texts: Sequence[str] = ()) -> None:
        self.rows, self.root, self.split = rows, root, split
        present = set(rows.frame.columns)
        self.texts = tuple(dict.fromkeys(name for name in (*texts, *TEXTS) if name in present))
        self.audio = next((name for name in AUDIO if name in present and (rows.frame[name] != "").any()), "")

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> CorpusRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[CorpusRow, ...]: ...
    def __getitem__(self, index: int | slice) -> CorpusRow | tuple[CorpusRow, ...]:
        if isinstance(index, slice):
            numbers = range(len(self))[index]
            return tuple(self._row(number, row) for number, row in zip(numbers, self.rows[index], strict=True))
        return self._row(index % len(self) if -len(self) <= index < len(self) else index, self.rows[index])

    def __iter__(self) -> Iterator[CorpusRow]:
        return (self._row(number, row) for number, row in enumerate(self.rows))

    def column(self, name: str) -> Any:
        """A column as a polars Series."""
        return self.rows.frame[name]

    def tags(self, name: str) -> bool:
        """Whether it has a column of this name that is neither text nor audio."""
        return name in self.rows.frame.columns and name not in (*self.texts, self.audio, *OURS)

    def paths(self) -> list[str | None]:
        """Of each row, the file or address of its audio; None where there is none."""
        return [locate(name, self.root) for name in self.column(self.audio)] if self.audio else [None] * len(self)

    def _row(self, number: int, row: Mapping[str, Any]) -> CorpusRow:
        return read_row(number, row, self.root, self.split, self.texts)


class JoinedRows(Sequence[CorpusRow]):
    """The rows of training and evaluation set, one after the other, or some of them."""

    def __init__(self, parts: Sequence[Sequence[CorpusRow]], numbers: Sequence[int] | None = None) -> None:
        self.parts = [part for part in parts if len(part)]
        self.numbers = range(sum(map(len, self.parts))) if numbers is None else numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> CorpusRow: ...
    @overload
    def __getitem__(self, index: slice) -> "JoinedRows": ...
    def __getitem__(self, index: int | slice) -> "CorpusRow | JoinedRows":
        if isinstance(index, slice):
            return JoinedRows(self.parts, self.numbers[index])
        number = self.numbers[index]
        for part in self.parts:
            if number < len(part):
                return part[number]
            number -= len(part)
        raise IndexError(index)

    def __iter__(self) -> Iterator[CorpusRow]:
        if isinstance(self.numbers, range) and len(self) == sum(map(len, self.parts)):
            return (row for part in self.parts for row in part)
        return (self[number] for number in range(len(self)))


def is_table(rows: Any) -> bool:
    return hasattr(rows, "frame")


def tables_of(rows: Sequence[CorpusRow]) -> list[RowTable]:
    """The tables that all of these rows come from, in their order; [] where they are plain objects."""
    parts = rows.parts if isinstance(rows, JoinedRows) and len(rows) == sum(map(len, rows.parts)) else [rows]
    return list(parts) if all(isinstance(part, RowTable) for part in parts) else []  # type: ignore[arg-type]


def paths_of(rows: Sequence[CorpusRow]) -> list[str | None]:
    """Of each row, the file of its audio; of tables, without making the rows."""
    tables = tables_of(rows)
    return [path for table in tables for path in table.paths()] if tables else [row.path for row in rows]


def with_audio(rows: Sequence[CorpusRow]) -> Sequence[CorpusRow]:
    """Those that name an audio file."""
    tables = tables_of(rows)
    if not tables:
        return tuple(row for row in rows if row.audio)
    names = [name for table in tables for name in (table.column(table.audio) if table.audio else [""] * len(table))]
    return rows if all(names) else JoinedRows(tables, [number for number, name in enumerate(names) if name])


def tags_of(rows: Sequence[CorpusRow], name: str) -> list[str]:
    """The value of a column that is neither text nor audio, for each row; "" where it has none."""
    tables = tables_of(rows)
    if not tables:
        return [row.tags.get(name, "") for row in rows]
    return [value for table in tables for value in (table.column(name) if table.tags(name) else [""] * len(table))]
