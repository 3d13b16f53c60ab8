"""The page of a run: what its logs say, its curves, its last predictions, and a link to its preflight."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from diagnose.common.atomic_write import write_atomically
from diagnose.page.report_page import PAGE, report_page
from diagnose.page.word_diff import marked_words

if TYPE_CHECKING:
    from diagnose.engine.report import Report

PREDICTIONS = 10


@dataclass(frozen=True)
class GeneratedLine:
    """A generated text of a step and its reference, each with the words that the other lacks marked."""

    step: int
    text: Markup
    reference: Markup


def predictions_of(report: "Report") -> list[GeneratedLine]:
    """The last texts that the run generated."""
    texts: list[Any] = list(report.figures.get("records", {}).get("texts", ()))[-PREDICTIONS:]
    return [GeneratedLine(step, marked_words(text, wanted), marked_words(wanted, text)) for step, text, wanted in texts]


def run_page(report: "Report", folder: Path) -> str:
    """The page of the run whose output folder this is."""
    links = [(name, str(path.relative_to(folder))) for name, path in _linked(folder)]
    return report_page(report, f"Run {folder.resolve().name}", links=links, predictions=predictions_of(report))


def write_run_page(report: "Report", folder: Path) -> Path:
    """Writes report.html into the run's folder."""
    write_atomically(folder / PAGE, run_page(report, folder))
    return folder / PAGE


def _linked(folder: Path) -> Iterator[tuple[str, Path]]:
    preflight = folder / "preflight" / PAGE
    if preflight.is_file():
        yield "Its preflight", preflight
