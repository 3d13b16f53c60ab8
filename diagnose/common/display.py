"""The one live display at the bottom of a terminal: bars and status lines share it, and log lines are printed above."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any

import click

from diagnose.common.printable import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

Part = Callable[[], "RenderableType"]


class Display:
    """What is shown now. rich allows one live display at a time; two of them would overwrite each other."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._live: Live | None = None
        self._streams: tuple[Any, Any] = (sys.stdout, sys.stderr)
        self._lock = RLock()

    @contextmanager
    def showing(self, part: Part) -> Iterator[None]:
        """Shows a part beneath the others until the block ends."""
        with self._lock:
            self._parts.append(part)
            if self._live is None:
                self._start()
        try:
            yield
        finally:
            with self._lock:
                if part in self._parts:
                    self._parts.remove(part)
                if not self._parts and self._live is not None:
                    self._live.stop()
                    self._live = None

    def print_line(self, text: str, err: bool = True) -> None:
        """Above what is shown; on a terminal folded between words, elsewhere as it is."""
        text, stream = printable(text), sys.stderr if err else sys.stdout
        if not stream.isatty():
            click.echo(text, err=err)
            return
        from rich.text import Text

        console = self._live.console if self._live is not None else _console(err)
        console.print(Text(text))

    def forget(self) -> None:
        """In a forked child: its parent shows on."""
        if self._live is not None:
            sys.stdout, sys.stderr = self._streams
        self.__init__()  # type: ignore[misc]

    def _start(self) -> None:
        from rich.live import Live

        self._streams = (sys.stdout, sys.stderr)
        piped = not sys.stdout.isatty()  # its lines belong into the pipe, not above the display
        self._live = Live(
            console=_console(),
            get_renderable=self._render,
            refresh_per_second=8,
            transient=True,
            redirect_stdout=not piped,
        )
        self._live.start()

    def _render(self) -> "RenderableType":
        from rich.console import Group

        return Group(*(part() for part in list(self._parts)))


def _console(err: bool = True) -> "Console":
    from diagnose.common.plain_console import PlainConsole

    return PlainConsole(stderr=err, markup=False, highlight=False, emoji=False)


display = Display()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=display.forget)
