"""What a person did wrong, in one sentence: the file, the row or key, what was found, what was expected, the remedy."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from diagnose.report import Report


class InputError(click.ClickException):
    """Bad input. Shown without a traceback; the command ends with exit code 2."""

    exit_code = 2


class Stopped(Exception):
    """A guard found an error in a run. `report` holds the findings, `recording` is the failed step's folder or None."""

    def __init__(self, report: "Report", recording: "Path | None" = None) -> None:
        super().__init__(report.headline)
        self.report, self.recording = report, recording
