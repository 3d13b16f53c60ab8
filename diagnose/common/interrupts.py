"""Ctrl-C at a moment when it can be handled."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def deferred_interrupts() -> Iterator[list[int]]:
    """Inside, Ctrl-C is only appended to the list; KeyboardInterrupt is raised at the end."""
    usual, interrupts = signal.getsignal(signal.SIGINT), list[int]()
    if threading.current_thread() is not threading.main_thread() or usual in (None, signal.SIG_IGN):
        yield interrupts
        return
    signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, usual)
        if interrupts:
            raise KeyboardInterrupt
