"""Rows as plain data: which audio they mean, what their texts are, what else they say."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from probes.facts.corpus.types import CorpusRow

TEXTS = ("transcript", "translation", "text", "sentence", "transcription", "document", "summary", "source", "target")
AUDIO = ("audio_path", "audio", "audio_filepath", "path", "file", "wav")
OURS = ("_file", "_line", "id")  # where a manifest of ours remembers that a row stands


def read_rows(
    rows: Iterable[Mapping[str, Any]], root: str | Path | None, split: str, texts: Sequence[str] = ()
) -> tuple[CorpusRow, ...]:
    """Every row; its audio is looked for on the disk and not opened."""
    names = tuple(dict.fromkeys((*texts, *TEXTS)))
    return tuple(_row(number, row, root, split, names) for number, row in enumerate(rows))


def _row(number: int, row: Mapping[str, Any], root: str | Path | None, split: str, names: tuple[str, ...]) -> CorpusRow:
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
    absolute = audio.startswith("/") or Path(audio).is_absolute()
    climbs = not absolute and os.path.normpath(audio).startswith("..")
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
    try:
        return os.stat(path).st_size  # noqa: PTH116  (a Path for each of a million rows costs more than the call)
    except (OSError, ValueError):
        return None


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)
