"""Stamps of finished pipeline steps: a step with the same inputs as last time is not repeated."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from diagnose.common.atomic_write import write_files
from diagnose.common.file_digest import file_sha256


def digest_of(*inputs: object) -> str:
    """A digest of values, and of files by their content; a missing file counts as empty."""
    total = hashlib.sha256()
    for value in inputs:
        if isinstance(value, Path) and value.is_file():
            total.update(file_sha256(value))
        else:
            total.update(hashlib.sha256(b"" if isinstance(value, Path) else repr(value).encode()).digest())
    return total.hexdigest()


def file_list_digest(paths: Iterable[Path]) -> str:
    """A digest of many large files by name, size and modification time."""
    stats = [(str(path), *_size_and_time(path)) for path in paths]
    return hashlib.sha256(repr(stats).encode()).hexdigest()


def is_current(stamp: Path, digest: str, outputs: Iterable[Path]) -> bool:
    """Whether a step was finished with these inputs, and its outputs exist."""
    try:
        stored = json.loads(stamp.read_text(encoding="utf-8"))["digest"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return stored == digest and all(path.exists() for path in outputs)


def write_stamp(stamp: Path, digest: str) -> None:
    """Write the digest of a step's inputs."""
    write_files({stamp: json.dumps({"digest": digest}) + "\n"})


def _size_and_time(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return -1, -1
    return stat.st_size, stat.st_mtime_ns
