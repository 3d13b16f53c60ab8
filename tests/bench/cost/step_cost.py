"""Loops that are run step by step, turn by turn, in one process: what slows one slows the others alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Semaphore, Thread


class Ended(BaseException):
    """Unwinds a loop that is not wanted any more."""


class Stepper:
    """A loop that stops after every step until it is asked for the next one; only one runs at a time."""

    def __init__(self, loop: Callable[[Callable[[], None]], None]) -> None:
        self._go, self._done, self._ended = Semaphore(0), Semaphore(0), False
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._run, args=(loop,), daemon=True)
        self._thread.start()

    def step(self) -> float:
        """Let the loop make one step; the seconds it took."""
        started = time.perf_counter()
        self._go.release()
        self._done.acquire()
        if self._failure is not None:
            raise self._failure
        return time.perf_counter() - started

    def end(self) -> None:
        self._ended = True
        self._go.release()
        self._thread.join(60)

    def _pause(self) -> None:
        self._done.release()
        self._go.acquire()
        if self._ended:
            raise Ended

    def _run(self, loop: Callable[[Callable[[], None]], None]) -> None:
        self._go.acquire()
        try:
            if not self._ended:
                loop(self._pause)
        except Ended:
            pass
        except BaseException as error:
            self._failure = error
        self._done.release()
