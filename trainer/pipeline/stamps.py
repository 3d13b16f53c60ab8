"""What is already made, and from what: a step whose inputs are the same as last time need not be taken again."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from trainer.data.text_files import write_files


def digest_of(*inputs: object) -> str:
    """A fingerprint of values as they are, and of files by their content; a file that is not there has one too."""
    total = hashlib.sha256()
    for value in inputs:
        content = _content(value) if isinstance(value, Path) else repr(value).encode()
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()


def file_list_digest(paths: Iterable[Path]) -> str:
    """A fingerprint of many large files by name, size and time of change: nothing is read."""
    stats = [(str(path), *_size_and_time(path)) for path in paths]
    return hashlib.sha256(repr(stats).encode()).hexdigest()


def is_current(stamp: Path, digest: str, outputs: Iterable[Path]) -> bool:
    """Whether a step was finished with these inputs, and all it made is still there."""
    try:
        said = json.loads(stamp.read_text(encoding="utf-8"))["digest"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return said == digest and all(path.exists() for path in outputs)


def write_stamp(stamp: Path, digest: str) -> None:
    """Remember what a step was taken with."""
    write_files({stamp: json.dumps({"digest": digest}) + "\n"})


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _size_and_time(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return -1, -1
    return stat.st_size, stat.st_mtime_ns
