"""Writes a file whole or not at all: a crash, a full disk or Ctrl-C leaves the old one."""

import os
from contextlib import suppress
from pathlib import Path

from diagnose.common.errors import InputError


def write_atomically(path: Path, content: str | bytes) -> None:
    """Stages the content beside the file, syncs it, renames it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); choose another place or free some") from error
    finally:
        with suppress(OSError):
            draft.unlink()
