"""One run for one directory: the second is refused, and a killed one leaves nothing that blocks."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from diagnose.common.activity import activity
from diagnose.common.errors import InputError

LOCK = ".run.lock"
HOLDER = ".run.holder.json"
PATIENCE = 10.0  # seconds that forks of a killed run may need to notice its end


@dataclass(frozen=True)
class LockHolder:
    """The process that holds the directory."""

    pid: int
    host: str

    @property
    def has_exited(self) -> bool:
        return self.host == socket.gethostname() and not psutil.pid_exists(self.pid)


@contextmanager
def hold_run_lock(run: Path) -> Iterator[None]:
    """Lock the run's directory; the system releases it when the process ends, however it ends."""
    lock = FileLock(run / LOCK)
    try:
        run.mkdir(parents=True, exist_ok=True)
        _acquire(lock, run)
        us = LockHolder(activity.started_as, socket.gethostname())
        (run / HOLDER).write_text(json.dumps(asdict(us)), encoding="utf-8")
    except OSError as error:
        raise InputError(f"output.dir {run} is not writable ({error.strerror}); set another one") from error
    try:
        yield
    finally:
        lock.release()


def require_free(run: Path) -> None:
    """Refuse a directory that another run holds; creates nothing in a free one."""
    if (run / LOCK).exists():
        with hold_run_lock(run):
            pass


def was_held(run: Path) -> bool:
    """Whether a run ever started in this directory."""
    return (run / HOLDER).exists()


def _acquire(lock: FileLock, run: Path) -> None:
    with suppress(Timeout):
        lock.acquire(timeout=0)
        return
    holder = _holder(run)
    try:
        lock.acquire(timeout=PATIENCE if holder and holder.has_exited else 0)
    except Timeout as error:
        who = f"pid {holder.pid} on {holder.host}" if holder else "pid unknown"
        raise InputError(
            f"{run} is in use by another run ({who}); wait until it ends, stop it, or set another output.dir"
        ) from error


def _holder(run: Path) -> LockHolder | None:
    try:
        return LockHolder(**json.loads((run / HOLDER).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
