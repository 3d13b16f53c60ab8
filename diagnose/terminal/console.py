"""The rich console of both commands."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def console(stderr: bool = False) -> "Console":
    """A rich console: colours only on a terminal and without NO_COLOR; square brackets in data stay what they are."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 120
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)
