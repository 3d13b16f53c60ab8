"""The pages under a folder: where each lies, its verdict, when it was made, the metrics of its run."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

from diagnose.page.report_page import PAGE

HEAD = 65536  # bytes in which a page says what it is
SORTS = ("date", "verdict", "metric", "name")


@dataclass(frozen=True)
class IndexedPage:
    """One page; `address` is relative to the folder that is served."""

    address: str
    title: str
    verdict: str
    created: str
    metrics: dict[str, float] = field(default_factory=dict)

    @property
    def metric_text(self) -> str:
        return ", ".join(f"{name} {value:.4g}" for name, value in self.metrics.items())


def pages_in(folder: Path) -> Iterator[IndexedPage]:
    """Every page beneath a folder. Links that lead outside of it are not followed."""
    root = folder.resolve()
    for path in sorted(root.rglob(PAGE)):
        if path.is_file() and path.resolve().is_relative_to(root) and (about := _about(path)):
            yield IndexedPage(
                path.relative_to(root).as_posix(),
                str(about.get("title", "")),
                str(about.get("verdict", "")),
                str(about.get("created", "")),
                {str(name): float(value) for name, value in about.get("metrics", {}).items()},
            )


def sorted_pages(pages: list[IndexedPage], by: str) -> list[IndexedPage]:
    """Newest first; or by verdict, by the first metric, or by name."""
    newest = sorted(pages, key=lambda page: page.created, reverse=True)
    if by == "verdict":
        return sorted(newest, key=lambda page: page.verdict)
    if by == "metric":
        return sorted(newest, key=lambda page: next(iter(page.metrics.values()), float("inf")))
    return sorted(newest, key=lambda page: page.address) if by == "name" else newest


def _about(path: Path) -> dict[str, Any]:
    """What the page says of itself; nothing where another tool made it."""
    with path.open(encoding="utf-8", errors="replace") as file:
        found = re.search(r'<meta name="gonogo" content="([^"]*)">', file.read(HEAD))
    try:
        about = json.loads(unescape(found[1])) if found else {}
    except ValueError:
        return {}
    return about if isinstance(about, dict) else {}
