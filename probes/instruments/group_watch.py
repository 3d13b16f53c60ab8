"""Watches the processes of a group from outside: those that wait for each other use no processor any more."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress

import psutil

from probes.instruments.notes import Notes

# Seconds without work by any of them. A process that works uses its core; gloo sleeps while it waits. A read from a
# disk that takes so long would be told as waiting, so it is counted only once everything is built.
STILL = 15.0
IDLE = 0.02  # of one core: gloo's and torch's own threads wake up now and then
STACK = 0.3  # seconds to write a stack down
REST = 120.0  # seconds for what follows once everything is built: two steps, a part of an evaluation

WAITED = "every process waited for the others"
LATE = f"it had not ended after {REST:.0f} s"


class Watch:
    """For in_children: the reason to end them all, or nothing."""

    def __init__(self, notes: Sequence[Notes]) -> None:
        self.notes, self.since, self.used = notes, time.monotonic(), -1.0
        self.built: float | None = None

    def __call__(self, pids: Sequence[int]) -> str:
        now, used = time.monotonic(), sum(map(_processor_seconds, pids))
        moved = used < self.used or used - self.used > IDLE * max(now - self.since, 0.5)
        if self.built is None and all(note.has("building") for note in self.notes):
            self.built = now
        if moved or self.built is None:
            self.since, self.used = now, used
        still = now - self.since > STILL
        if not pids or self.built is None or not (still or now - self.built > REST):
            return ""
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGUSR1)  # faulthandler writes the stack down, also of one that waits in C++
        time.sleep(STACK)
        return WAITED if still else LATE


def _processor_seconds(pid: int) -> float:
    """Of a process and its workers."""
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        everybody = [process, *process.children(recursive=True)]
        return sum(sum(one.cpu_times()[:2]) for one in everybody)
    return 0.0
