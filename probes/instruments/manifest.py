"""Manifest rows against the disk: which audio is there, how long the texts are."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from probes.measured.data import ManifestRow

TEXTS = ("transcript", "translation", "text", "sentence", "document", "summary")
AUDIO = ("audio_path", "audio", "path")


def read_rows(rows: Iterable[Mapping[str, Any]], root: Path | None) -> tuple[ManifestRow, ...]:
    return tuple(_row(number, row, root) for number, row in enumerate(rows))


def _row(number: int, row: Mapping[str, Any], root: Path | None) -> ManifestRow:
    audio = next((str(row[column]) for column in AUDIO if isinstance(row.get(column), str) and row[column]), "")
    file, line = row.get("_file"), row.get("_line")  # where a manifest of ours remembers that a row stands
    return ManifestRow(
        where=f"{file}:{line}" if file else str(row.get("id") or f"row {number}"),
        audio=audio,
        audio_found=_found(audio, root) if audio else None,
        texts={column: len(str(row[column] or "").strip()) for column in TEXTS if column in row},
        file=file,
        line=None if line is None else int(line),
    )


def _found(audio: str, root: Path | None) -> bool | None:
    """None where a relative path has no known folder to start from: not looked at, not clean."""
    path = Path(audio)
    if not path.is_absolute() and root is None:
        return None
    return (path if path.is_absolute() else Path(root or ".") / path).is_file()
