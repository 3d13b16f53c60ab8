"""`python -m tests.support.screenshots RUN` writes docs/screenshots: a healthy and a broken preflight, and a run.

RUN is the folder of a trained run, such as gonogo-demo/outputs/demo_hybrid after `make demo`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import diagnose
from probes.faults.kit.changes import with_labels
from probes.healthy import healthy
from tests.support.browser import browser, open_page
from tests.support.transcripts import ROOT

FOLDER = ROOT / "docs" / "screenshots"
SIZES = {"healthy_preflight": 1500, "broken_preflight": 900, "run": 1500}  # height in pixels, of a width of 1000


def write(run: Path) -> None:
    """Pages of this run and of two preflights, as they open."""
    FOLDER.mkdir(exist_ok=True)
    facts = healthy("mt5")
    padding = facts["tokenizer"].pad_token_id
    broken = with_labels(facts, lambda labels: labels.masked_fill(labels == -100, padding))
    with tempfile.TemporaryDirectory() as folder, browser(Path(folder)) as driver:
        pages = {
            "healthy_preflight": diagnose.preflight(**healthy("hybrid")).write_html(Path(folder) / "healthy.html"),
            "broken_preflight": diagnose.preflight(**broken).write_html(Path(folder) / "broken.html"),
            "run": (run / "report.html").resolve(),
        }
        for name, page in pages.items():
            driver.set_window_size(1000, SIZES[name])
            open_page(driver, page).save_screenshot(str(FOLDER / f"{name}.png"))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
