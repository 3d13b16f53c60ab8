"""One run for one directory: the second is refused, and a killed one leaves nothing that blocks."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from trainer.errors import InputError

LOCK = ".run.lock"
HOLDER = ".run.holder.json"


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Hold the run's directory; the system lets go of it when the process ends, however it ends."""
    run.mkdir(parents=True, exist_ok=True)
    lock = FileLock(run / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError(
            f"{run} is in use by another run ({_holder(run)}); wait for it to end, stop it, or set another output.dir"
        ) from error
    try:
        (run / HOLDER).write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}), encoding="utf-8")
        yield
    finally:
        lock.release()


def _holder(run: Path) -> str:
    try:
        holder = json.loads((run / HOLDER).read_text(encoding="utf-8"))
        return f"pid {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "its pid is not known"
