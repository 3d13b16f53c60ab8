"""Digests of a directory, written last: they verify that every file is there and unchanged, and no other."""

import json
from collections.abc import Container
from pathlib import Path
from typing import Any

from diagnose.common.atomic_write import sync
from diagnose.common.file_digest import file_sha256

DIGESTS = "digests.json"
RESULTS = "train_results.json"
WEIGHTS = ("*.safetensors", "*.safetensors.index.json", "*.bin", "*.bin.index.json", "*.pt", "*.pth", "*.pkl", "*.py")


def verify(directory: Path) -> str | None:
    """Why a checkpoint cannot be trusted; None if every file is what was committed."""
    if not directory.is_dir():
        return "it does not exist"
    try:
        files = json.loads((directory / DIGESTS).read_text(encoding="utf-8"))["files"]
        reasons = (_differs(directory / name, entry["bytes"], entry["sha256"]) for name, entry in files.items())
        reason = next((reason for reason in reasons if reason), None if files else f"its {DIGESTS} is empty")
        return reason or _unlisted(directory, files)
    except FileNotFoundError:
        return f"it has no {DIGESTS}, so it is incomplete or not from this trainer"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"its {DIGESTS} cannot be read ({type(error).__name__})"


def _unlisted(directory: Path, files: Container[str]) -> str | None:
    """What a checkpoint holds that nobody committed; in the folder of a run, only what a model is loaded from."""
    is_run = (directory / RESULTS).exists()
    patterns = WEIGHTS if is_run else ("*",)
    found = sorted({path for pattern in patterns for path in (directory.glob if is_run else directory.rglob)(pattern)})
    names = (path.relative_to(directory).as_posix() for path in found if not path.is_dir())
    other = next((name for name in names if name not in files and name != DIGESTS), None)
    return f"it contains {other}, which its {DIGESTS} does not list" if other else None


def write_checksums(directory: Path) -> None:
    """Sync every file and write their digests last."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    entries = {str(path.relative_to(directory)): _synced_entry(path) for path in files}
    manifest = directory / DIGESTS
    manifest.write_text(json.dumps({"format": 1, "files": entries}, indent=1, sort_keys=True), encoding="utf-8")
    sync(manifest)
    for folder in {directory, *(path.parent for path in files)}:
        sync(folder)


def _synced_entry(path: Path) -> dict[str, Any]:
    sync(path)
    return {"bytes": path.stat().st_size, "sha256": file_sha256(path).hex()}


def _differs(path: Path, size: int, digest: str) -> str | None:
    if not path.is_file():
        return f"its {path.name} is missing"
    if path.stat().st_size != size:
        return f"its {path.name} has {path.stat().st_size:,} bytes instead of {size:,}"
    return None if file_sha256(path).hex() == digest else f"its {path.name} has changed since it was saved"
