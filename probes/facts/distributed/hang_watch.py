"""Detects a hang of a process group from outside: processes that wait for each other use no CPU time."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress

import psutil

from probes.facts.distributed.rank_notes import RankNotes

# Seconds without work by any of them. A process that works uses its core; gloo sleeps while it waits.
STILL = 15.0
# The same while a process builds, where reading and writing is work too: a download is asked again after ten seconds.
STILL_BUILDING = 60.0
IDLE = 0.02  # of one core: gloo's and torch's own threads wake up now and then
STACK = 0.3  # seconds to write a stack down
REST = 120.0  # seconds for what follows once everything is built: two steps, a part of an evaluation

WAITED = "every process waits for the others"
LATE = f"it did not finish within {REST:.0f} s"
STOOD = "a process did not finish its setup"


class HangDetector:
    """The `watch` of run_forked: the reason to end all processes, or ""."""

    def __init__(self, notes: Sequence[RankNotes]) -> None:
        self.notes, self.since, self.used, self.bytes = notes, time.monotonic(), -1.0, -1
        self.built: float | None = None

    def __call__(self, pids: Sequence[int]) -> str:
        now = time.monotonic()
        if self.built is None and all(note.has("building") for note in self.notes):
            self.since = self.built = now
        self._check(pids, now)
        reason = self._reason(now) if pids else ""
        for pid in pids if reason else ():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGUSR1)  # faulthandler writes the stack down, also of one that waits in C++
        time.sleep(STACK if reason else 0.0)
        return reason

    def _check(self, pids: Sequence[int], now: float) -> None:
        """Restarts the clock if any process has worked."""
        used = sum(map(_processor_seconds, pids))
        moved = used < self.used or used - self.used > IDLE * max(now - self.since, 0.5)
        if self.built is None:
            before, self.bytes = self.bytes, sum(map(_bytes_moved, pids))
            moved = moved or self.bytes != before
        if moved:
            self.since, self.used = now, used

    def _reason(self, now: float) -> str:
        if self.built is None:
            return STOOD if now - self.since > STILL_BUILDING else ""
        if now - self.since > STILL:
            return WAITED
        return LATE if now - self.built > REST else ""


def _processor_seconds(pid: int) -> float:
    """Of a process and its workers."""
    with suppress(psutil.Error):
        return sum(sum(one.cpu_times()[:2]) for one in _family(pid))
    return 0.0


def _bytes_moved(pid: int) -> int:
    """Read and written by them; nothing on a system that does not count it for every process."""
    with suppress(psutil.Error):
        counts = [one.io_counters() for one in _family(pid) if hasattr(one, "io_counters")]
        return sum(getattr(count, "read_chars", 0) + getattr(count, "write_chars", 0) for count in counts)
    return 0


def _family(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]
