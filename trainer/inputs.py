"""The files that a run reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trainer.data.manifest import read_rows

if TYPE_CHECKING:
    from trainer.config import Config


def audio_files(config: Config, manifests: Sequence[Path]) -> tuple[Path, ...]:
    """Of every row of these manifests."""
    root = config.paths.data_root
    return tuple(root / row["audio_path"] for path in manifests for row in read_rows(path) if row.get("audio_path"))


def files_of(*names: str | None) -> tuple[Path, ...]:
    """The files of local model directories; a name on the hub is pinned by the configuration alone."""
    folders = [Path(name) for name in names if name and Path(name).is_dir()]
    return tuple(sorted(path for folder in folders for path in folder.iterdir() if path.is_file()))
