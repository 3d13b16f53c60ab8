"""Ctrl-C deferred while workers are forked: raised in the middle of a fork, it would be lost."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_deferred: list[int] = []


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Inside, Ctrl-C is raised by `raise_deferred_interrupt` only."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or usual in (None, signal.SIG_IGN):
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: _deferred.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        _deferred.clear()


def raise_deferred_interrupt() -> None:
    if _deferred:
        raise KeyboardInterrupt
