"""A rich console that carries out nothing of what the printed text holds."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from diagnose.common.printable import printable


class PlainConsole(Console):
    """Control characters are left out of the text; the colors are rich's own."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    def print(self, *objects: Any, **settings: Any) -> None:
        super().print(*(printable(one) if isinstance(one, str) else one for one in objects), **settings)
