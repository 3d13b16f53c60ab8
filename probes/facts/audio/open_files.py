"""Opens a file, or what an address such as s3://bucket/a.wav names, as a descriptor with its size."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from diagnose.common.errors import short_error
from probes.facts.corpus.manifest_rows import is_address

CHUNK = 2**20


class AudioProblem(Exception):
    """One of missing, outside, empty, truncated, unreadable; with the reason."""


@contextmanager
def opened(path: str | None) -> Iterator[tuple[int, int]]:
    """A pipe cannot block, and the name does not decide the format; raises AudioProblem."""
    if path is None:
        raise AudioProblem("outside", "its path leads out of audio_root")
    if is_address(path):
        with _fetched(path) as handle:
            yield handle, os.fstat(handle).st_size
        return
    handle = _open(path)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise AudioProblem("unreadable", "it is a folder, a pipe or a device, not a file")
        if not status.st_size:
            raise AudioProblem("empty", "it has 0 bytes")
        yield handle, status.st_size
    finally:
        os.close(handle)


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        raise AudioProblem("missing", getattr(error, "strerror", None) or str(error)) from error


@contextmanager
def _fetched(address: str) -> Iterator[int]:
    """A copy on the disk: whatever it holds, memory does not grow."""
    import fsspec

    with tempfile.TemporaryFile() as copy:
        try:
            with fsspec.open(address, "rb") as source:
                shutil.copyfileobj(source, copy, CHUNK)
        except FileNotFoundError as error:
            raise AudioProblem("missing", f"there is nothing at {address}") from error
        except Exception as error:  # each file system of fsspec raises errors of its own
            raise AudioProblem("unreadable", f"it cannot be fetched: {short_error(error)}") from error
        copy.flush()
        if not os.fstat(copy.fileno()).st_size:
            raise AudioProblem("empty", "it has 0 bytes")
        yield copy.fileno()
