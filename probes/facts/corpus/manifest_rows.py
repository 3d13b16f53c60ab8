"""Rows of a manifest: read, or made of a table when they are asked for, since a million rows are no objects."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from probes.facts.corpus.types import CorpusRow

TEXTS = ("transcript", "translation", "text", "sentence", "transcription", "document", "summary", "source", "target")
AUDIO = ("audio_path", "audio", "audio_filepath", "path", "file", "wav")
OURS = ("_file", "_line", "id")  # where a manifest of ours remembers that a row stands


def read_rows(
    rows: Iterable[Mapping[str, Any]], root: str | Path | None, split: str, texts: Sequence[str] = ()
) -> tuple[CorpusRow, ...]:
    """Every row; its audio is looked for on the disk and not opened."""
    names = tuple(dict.fromkeys((*texts, *TEXTS)))
    return tuple(read_row(number, row, root, split, names) for number, row in enumerate(rows))


def read_row(
    number: int, row: Mapping[str, Any], root: str | Path | None, split: str, names: tuple[str, ...]
) -> CorpusRow:
    column = next((name for name in AUDIO if isinstance(row.get(name), str | os.PathLike) and row[name]), "")
    audio = os.fspath(row[column]) if column else ""
    path = locate(audio, root)
    seconds, decimals = duration_of(row)
    file, line = row.get("_file"), row.get("_line")
    known = {column, *names, *OURS}
    return CorpusRow(
        where=f"{file}:{line}" if file else str(row.get("id") or f"{split} row {number}"),
        split=split,
        audio=audio,
        path=path,
        size=None if path is None else _size(path),
        texts={name: str(row[name] or "") for name in names if name in row},
        seconds=seconds,
        decimals=decimals,
        tags={str(name): str(value) for name, value in row.items() if name not in known and _plain(value)},
        file=None if file is None else str(file),
        line=int(str(line)) if str(line).isdigit() else None,
    )


def locate(audio: str, root: str | Path | None) -> str | None:
    """The file that a row means; None where its folder is not known, or where it climbs out of the one that is."""
    absolute = os.path.isabs(audio) or is_address(audio)  # noqa: PTH117  (a Path for each of a million rows)
    climbs = ".." in audio and not absolute and os.path.normpath(audio).startswith("..")
    if not audio or "\0" in audio or climbs or (root is None and not absolute):
        return None
    return audio if absolute else f"{root}{os.sep}{audio}"


def duration_of(row: Mapping[str, Any]) -> tuple[float | None, int]:
    """The duration in the row and its decimals; None where there is none that makes sense."""
    text = str(row.get("duration") or "").strip()
    try:
        seconds = float(text)
    except ValueError:
        return None, 0
    decimals = len(text.partition(".")[2]) if "e" not in text.lower() else 3
    return (seconds if 0 < seconds < float("inf") else None), decimals


def _size(path: str) -> int | None:
    if is_address(path):
        return size_at(path)
    try:
        return os.stat(path).st_size  # noqa: PTH116  (a Path for each of a million rows costs more than the call)
    except (OSError, ValueError):
        return None


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)


def is_address(path: str) -> bool:
    """Whether fsspec reads it, such as s3://bucket/a.wav."""
    return "://" in path[:32]


def size_at(address: str) -> int | None:
    """Its bytes; None if it is not there."""
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(address)
        return int(system.size(path) or 0)
    except Exception:  # each file system of fsspec raises errors of its own
        return None


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


def tags_of(rows: Sequence[CorpusRow], name: str) -> list[str]:
    """The value of a column that is neither text nor audio, for each row; "" where it has none."""
    if not isinstance(rows, RowTable):
        return [row.tags.get(name, "") for row in rows]
    return rows.column(name).to_list() if rows.tags(name) else [""] * len(rows)


def is_table(rows: Any) -> bool:
    return hasattr(rows, "frame")
