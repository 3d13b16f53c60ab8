"""Where the data of a new configuration comes from: a manifest, split files, a folder of clips, a dataset."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from diagnose.common.errors import InputError
from trainer.data.audio_folder import audio_files
from trainer.data.hf_dataset import export_dataset, is_dataset
from trainer.data.manifest import MANIFESTS, read_table
from trainer.data.table import ManifestTable

ALL = "all"
SPLIT_FILES = {"train": ("train",), "dev": ("dev", "valid", "validation"), "test": ("test",)}
FIRST_CHOICES = ("manifest", "metadata", "data", "validated")
FOLDERS = (".", "data")
TABLES = tuple(suffix for suffix in MANIFESTS if suffix != ".txt")


@dataclass(frozen=True)
class DataSource:
    """The tables by split, or one under ALL; `exported` are those that had no files before."""

    path: Path
    tables: dict[str, ManifestTable]
    exported: bool = False


def find_source(directory: Path, manifest: str | None) -> DataSource:
    """The data that is named, else what lies in the directory."""
    if manifest is not None and is_dataset(manifest):
        return DataSource(directory / "manifest.csv", export_dataset(manifest, directory), exported=True)
    if manifest is not None:
        return _source_of(Path(manifest))
    if is_dataset(str(directory)):
        raise InputError(
            f"{directory}: found a Hugging Face dataset, expected a folder to write to; go to another folder and run "
            f"`train init --manifest {directory}`"
        )
    for folder in dict.fromkeys(directory / name for name in FOLDERS):
        found = _split_files(folder) or _best_manifest(_manifests(folder), folder)
        if found:
            return found
    if directory.is_dir() and audio_files(directory):
        return _source_of(directory)
    raise InputError(
        f"{directory}: found no manifest and no audio files, expected one of {', '.join(TABLES)} or a folder of clips; "
        "name it with --manifest"
    )


def _source_of(path: Path) -> DataSource:
    tables = _split_files(path) if path.is_dir() else None
    return tables or DataSource(path, {ALL: read_table(path)})


def _manifests(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.suffix.lower() in TABLES and path.is_file())


def _split_files(folder: Path) -> DataSource | None:
    """train and dev (and test), where they are files of their own."""
    by_stem = {path.stem.lower(): path for path in reversed(_manifests(folder))}
    found = {
        split: path
        for split, names in SPLIT_FILES.items()
        if (path := next((by_stem[name] for name in names if name in by_stem), None))
    }
    if "train" not in found or "dev" not in found:
        return None
    return DataSource(found["train"], {split: read_table(path) for split, path in found.items()})


def _best_manifest(paths: Sequence[Path], folder: Path) -> DataSource | None:
    """The only one, or the one with a usual name."""
    chosen = (
        [path for name in FIRST_CHOICES for path in paths if path.stem.lower() == name] if len(paths) > 1 else paths
    )
    if paths and not chosen:
        names = ", ".join(path.name for path in paths)
        raise InputError(f"{folder}: found {len(paths)} manifests ({names}), expected one; name it with --manifest")
    return _source_of(chosen[0]) if chosen else None
