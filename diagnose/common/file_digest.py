"""SHA-256 of a file's content."""

import hashlib
from pathlib import Path


def file_sha256(path: Path) -> bytes:
    """Read in chunks, so that a file may be larger than memory; raises OSError if it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
