"""What is happening right now: a line that moves on a terminal, a line for each stage elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.text import Text

from diagnose.common.display import display
from diagnose.common.progress import is_quiet, log_line
from diagnose.engine import pass_counter
from diagnose.engine.decorators import Probe
from diagnose.engine.runner import ProgressListener
from diagnose.engine.types import Stage


@contextmanager
def preflight_progress(lines: bool = True) -> Iterator[ProgressListener]:
    """A line that moves on a terminal; elsewhere `lines`, or nothing. Both are silent under -q."""
    if not sys.stderr.isatty() or is_quiet():
        yield LineProgress() if lines else ProgressListener()
        return
    moving = LiveProgress()
    with display.showing(moving.line):
        yield moving


class PreflightProgress(ProgressListener):
    """Says why there is a preflight."""

    def on_start(self, reason: str) -> None:
        log_line(f"preflight: {reason}")


class LineProgress(PreflightProgress):
    """Says when a stage begins: enough for a log."""

    stage: Stage | None = None

    def on_probe(self, probe: Probe) -> None:
        if probe.stage is not self.stage:
            self.stage = probe.stage
            log_line(f"preflight: {probe.stage}")


class LiveProgress(PreflightProgress):
    """Stage, probe, fact, passes so far, and a clock that starts again with each, so that a slow one shows."""

    def __init__(self) -> None:
        self.probe = self.fact = ""
        self.since = time.monotonic()

    def on_probe(self, probe: Probe) -> None:
        self.probe, self.fact, self.since = f"{probe.stage} · {probe.id} {probe.name}", "", time.monotonic()

    def on_fact(self, fact: str) -> None:
        self.fact, self.since = f" · measuring {fact}", time.monotonic()

    def line(self) -> Text:
        clock = f"{time.monotonic() - self.since:5.1f} s  {pass_counter.passes():.0f} passes"
        return Text(f"{clock}  {self.probe}{self.fact}", no_wrap=True, overflow="ellipsis")
