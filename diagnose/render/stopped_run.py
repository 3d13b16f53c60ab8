"""What a person reads when a guard has stopped a run: the findings as in a preflight, and how to look into the step."""

from rich.console import Console
from rich.text import Text

from diagnose.common.progress import verbosity
from diagnose.engine.report import Stopped
from diagnose.render.diagnosis import diagnosis_lines
from diagnose.render.lines import print_lines


def show_stopped(stopped: Stopped, console: Console) -> None:
    """The root causes, most severe first, then the recording."""
    found = diagnosis_lines(stopped.report, detail=verbosity.get())
    print_lines([(0, Text("THE RUN WAS STOPPED", style="bold red")), *found], console)
    if stopped.recording:
        for line in ("", f"recording: {stopped.recording}", f"replay: diagnose nan-bisect {stopped.recording}"):
            console.print(line, soft_wrap=True)
