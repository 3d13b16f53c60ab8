"""Writes files whole or not at all: a crash, a full disk or Ctrl-C leaves the old ones."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from diagnose.common.errors import InputError


def write_atomically(path: Path, content: str | bytes) -> None:
    write_files({path: content})


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Writes all of them or none: staged and synced first, and old and new files never stand side by side."""
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}.draft") for path in contents}
    try:
        for path, draft in drafts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_synced(draft, contents[path])
        # A crash between two renames must not leave a set that is half old: a missing file is noticed.
        for path in list(drafts)[1:]:
            path.unlink(missing_ok=True)
        for path, draft in drafts.items():
            draft.replace(path)
            sync(path.parent)
    except OSError as error:
        remedy = "free space or choose another folder"
        raise InputError(f"{path}: cannot be written ({error.strerror}); {remedy}") from error
    finally:
        for draft in drafts.values():
            with suppress(OSError):
                draft.unlink()


def _write_synced(path: Path, content: str | bytes) -> None:
    with path.open("wb") as file:
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())


def sync(path: Path) -> None:
    """Has the system write a file or directory to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
