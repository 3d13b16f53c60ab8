"""Lines of a report: an indent and a text, folded at the width of a terminal, whole in a pipe."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from diagnose.engine.types import Severity

Line = tuple[int, Text]

COLORS = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
# Data may hold escape sequences; a terminal must not obey them.
VISIBLE = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


def line(text: str, indent: int = 0, style: str = "") -> Line:
    return indent, Text(text, style=style)


def print_lines(lines: Iterable[Line], console: Console) -> None:
    """Each line folds between words at the console's width, under its own indent."""
    for indent, text in lines:
        text.plain = text.plain.translate(VISIBLE)
        for piece in text.wrap(console, max(20, console.width - indent)):
            piece.rstrip()
            console.print(Text(" " * indent) + piece if piece else Text(), soft_wrap=True)


def plural(count: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
