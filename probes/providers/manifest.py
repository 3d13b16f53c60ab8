"""Manifest rows against the disk."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnose.facts import NotApplicable
from probes.measured.data import ManifestRow


def manifest_rows(
    train_rows: Sequence[Mapping[str, Any]], audio_root: str | Path | None = None
) -> tuple[ManifestRow, ...]:
    from probes.instruments.manifest import read_rows

    return read_rows(train_rows, None if audio_root is None else Path(audio_root))


def audio_rows(manifest_rows: tuple[ManifestRow, ...]) -> tuple[ManifestRow, ...]:
    """The rows whose audio could be looked for."""
    named = tuple(row for row in manifest_rows if row.audio)
    if not named:
        raise NotApplicable("the manifest names no audio")
    looked = tuple(row for row in named if row.audio_found is not None)
    if not looked:
        raise NotApplicable("the audio paths are relative: give audio_root")
    return looked
