"""The rich console of both commands."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

UNFOLDED = 10_000  # columns of a pipe or a file: no line is folded or cut


def console(stderr: bool = False) -> "Console":
    """A rich console: colors only on a terminal and without NO_COLOR; square brackets in data stay what they are."""
    from diagnose.common.plain_console import PlainConsole

    stream = sys.stderr if stderr else sys.stdout
    plain = {"markup": False, "highlight": False, "emoji": False}
    if stream.isatty():
        return PlainConsole(stderr=stderr, **plain)  # type: ignore[arg-type]
    return PlainConsole(file=_Trimmed(stderr), width=UNFOLDED, **plain)  # type: ignore[arg-type]


class _Trimmed:
    """The stream as it is at each write, without the spaces with which a table fills its last column."""

    def __init__(self, stderr: bool) -> None:
        self._name = "stderr" if stderr else "stdout"

    def write(self, text: str) -> int:
        stream = getattr(sys, self._name)
        return int(stream.write("\n".join(line.rstrip(" ") for line in text.split("\n"))))

    def flush(self) -> None:
        getattr(sys, self._name).flush()

    @property
    def encoding(self) -> str:
        return str(getattr(sys, self._name).encoding)
