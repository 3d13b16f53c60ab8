"""What is printed to stderr while a command runs: lines, and progress with the time left. -q silences both."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import IntEnum
from typing import Protocol

from diagnose.common.display import display

SECONDS_BETWEEN_LINES = 10.0


class Verbosity(IntEnum):
    QUIET = 0
    NORMAL = 1
    VERBOSE = 2
    ALL = 3


verbosity: ContextVar[Verbosity] = ContextVar("verbosity", default=Verbosity.NORMAL)


class Advance(Protocol):
    """What the worker calls: so many more are done."""

    def __call__(self, count: int = 1) -> None: ...


def is_quiet() -> bool:
    return verbosity.get() < Verbosity.NORMAL


def log_line(text: str) -> None:
    """Prints to stderr, unless under -q."""
    if not is_quiet():
        display.print_line(text)


@contextmanager
def progress(what: str, total: int) -> Iterator[Advance]:
    """Show how far `what` has come, and how long it will take."""
    if sys.stderr.isatty() and not is_quiet():
        with _bar(what, total) as advance:
            yield advance
    else:
        yield _ProgressLines(what, total)


@contextmanager
def _bar(what: str, total: int) -> Iterator[Advance]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, auto_refresh=False)  # never started: the display draws it
    task = bar.add_task(what, total=total)
    with display.showing(bar.get_renderable):
        yield lambda count=1: bar.advance(task, count)


class _ProgressLines:
    """One line every ten seconds, and one at the end."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.started = self.printed = time.monotonic()

    def __call__(self, count: int = 1) -> None:
        self.done += count
        now = time.monotonic()
        if self.done >= self.total or now - self.printed >= SECONDS_BETWEEN_LINES:
            self.printed = now
            left = (now - self.started) / self.done * (self.total - self.done)
            ending = f"{left:.0f} s left" if self.done < self.total else f"{now - self.started:.0f} s"
            log_line(f"{self.what}: {self.done}/{self.total}, {ending}")
