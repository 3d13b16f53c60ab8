"""Rows of both splits, and of those that name audio, without making each of them."""

from collections.abc import Iterator, Sequence
from typing import overload

from probes.facts.corpus.manifest_rows import RowTable
from probes.facts.corpus.types import CorpusRow


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
