"""What a command is doing and how it ended, in memory that the process which supervises it reads after its end."""

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

SIZE = 4096
HEAD = 1  # byte 0: the exit code and 1; 0 until the command has ended by itself


class Activity:
    """The page of one command. Without `share`, as in a test, only the process itself knows it."""

    def __init__(self) -> None:
        self._page: mmap.mmap | bytearray = bytearray(SIZE)
        self._owner = 0

    def share(self) -> None:
        """Before the fork: the page is common to both processes."""
        self._page = mmap.mmap(-1, SIZE)

    def own(self) -> None:
        """In the child: from here on only this process writes, and no fork of it."""
        self._owner = os.getpid()

    @property
    def started_as(self) -> int:
        """The process that a person started and may end: the one that supervises this one, or this one."""
        return os.getppid() if self._owner == os.getpid() else os.getpid()

    @property
    def text(self) -> str:
        """What is being done; "" if nothing that could end the process."""
        return self._page[HEAD:].partition(b"\0")[0].decode(errors="replace")

    @text.setter
    def text(self, what: str) -> None:
        if os.getpid() == self._owner:
            encoded = what.encode(errors="replace").replace(b"\0", b" ")[: SIZE - HEAD - 1]
            self._page[HEAD:] = encoded.ljust(SIZE - HEAD, b"\0")

    @property
    def exit_code(self) -> int | None:
        """The exit code that the command chose; None if the process ended before."""
        return self._page[0] - 1 if self._page[0] else None

    @exit_code.setter
    def exit_code(self, code: int) -> None:
        if os.getpid() == self._owner:
            self._page[0] = code + 1


activity = Activity()


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Names what runs inside, in case it ends the process."""
    before, activity.text = activity.text, what
    try:
        yield
    finally:
        activity.text = before
