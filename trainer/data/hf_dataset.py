"""Hugging Face datasets, from a folder that save_to_disk wrote or from the hub: clips become files, rows tables."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from diagnose.common.progress import progress
from trainer.data.json_lines import as_text
from trainer.data.table import FILE, LINE, ManifestTable, Row

HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+(:[\w.-]+)?")  # owner/name, or owner/name:configuration
MARKERS = ("dataset_info.json", "dataset_dict.json")
SPLIT_NAMES = {"train": "train", "validation": "dev", "valid": "dev", "dev": "dev", "test": "test"}
AUDIO_FOLDER = "audio"


def is_dataset(name: str) -> bool:
    """Whether this names a saved dataset, or one on the hub."""
    path = Path(name)
    if path.exists():
        return any((path / marker).is_file() for marker in MARKERS)
    return bool(HUB_NAME.fullmatch(name)) and not path.suffix


def export_dataset(name: str, directory: Path) -> dict[str, ManifestTable]:
    """Its splits as tables, "all" if there is no dev; embedded clips are written to the folder `audio`."""
    audio = directory / AUDIO_FOLDER
    if audio.exists():
        raise InputError(f"{audio}: found a folder, expected none, since the clips go there; move it away")
    try:
        tables = {split: _export(rows, split, name, directory) for split, rows in _splits(name).items()}
    except BaseException:
        shutil.rmtree(audio, ignore_errors=True)
        raise
    if "train" in tables and "dev" in tables:
        return tables
    first, *others = tables.values()
    return {"all": ManifestTable(first.path, first.columns, [row for one in (first, *others) for row in one.rows])}


def _splits(name: str) -> dict[str, Any]:
    found = _load(name)
    if not hasattr(found, "keys"):
        return {"train": found}
    known = {ours: found[theirs] for theirs, ours in SPLIT_NAMES.items() if theirs in found}
    return known or dict(found)


def _load(name: str) -> Any:
    try:
        import datasets
    except ImportError:
        raise InputError(
            f"{name}: found a Hugging Face dataset, expected the package datasets to read it; "
            "run `pip install 'gonogo[datasets]'`"
        ) from None
    try:
        if Path(name).exists():
            return datasets.load_from_disk(name)
        owner, _, configuration = name.partition(":")
        return datasets.load_dataset(owner, configuration or None)
    except Exception as error:  # what the hub, the network and the files may raise has no common type
        reason = f"{type(error).__name__}: {str(error).strip()}".split("\n")[0]
        raise InputError(
            f"{name}: the package datasets cannot load it ({reason}); correct the path or the name"
        ) from error


def _export(rows: Any, split: str, name: str, directory: Path) -> ManifestTable:
    import datasets

    clips = [column for column, feature in rows.features.items() if isinstance(feature, datasets.Audio)]
    for column in clips:
        rows = rows.cast_column(column, datasets.Audio(decode=False))
    if not len(rows):
        raise InputError(f"{name}: found no row in {split}, expected some; choose another dataset or split")
    with progress(f"export {split}", len(rows)) as advance:
        written = list(_written(rows, clips, split, name, directory, advance))
    return ManifestTable(Path(name), tuple(rows.column_names), written)


def _written(rows: Any, clips: list[str], split: str, name: str, directory: Path, advance: Any) -> Iterator[Row]:
    for index, values in enumerate(rows):
        for column in clips:
            values[column] = _clip_path(values[column] or {}, directory, f"{AUDIO_FOLDER}/{split}/{index:06d}")
        advance()
        yield {
            **{key: as_text(value) for key, value in values.items()},
            FILE: f"{name} ({split})",
            LINE: str(index + 1),
        }


def _clip_path(clip: dict[str, Any], directory: Path, stem: str) -> str:
    """The path of a clip, whose bytes are written to a file where they are embedded."""
    content, path = clip.get("bytes"), str(clip.get("path") or "")
    if content is None:
        return path
    target = directory / f"{stem}{Path(path).suffix or '.wav'}"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target.relative_to(directory).as_posix()
