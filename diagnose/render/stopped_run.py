"""What a person reads when a guard has stopped a run: the findings as in a preflight, and how to look into the step."""

from rich.console import Console
from rich.text import Text

from diagnose.engine.report import Stopped
from diagnose.render.text import diagnosis_lines, print_lines


def show_stopped(stopped: Stopped, console: Console) -> None:
    """The roots, most severe first, then the recording."""
    print_lines([(0, Text("THE RUN WAS STOPPED", style="bold red")), *diagnosis_lines(stopped.report)], console)
    if stopped.recording:
        for line in ("", f"recording: {stopped.recording}", f"replay: diagnose nan-bisect {stopped.recording}"):
            console.print(line, soft_wrap=True)
