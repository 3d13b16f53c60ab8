"""What a person reads when a guard has stopped a run: the findings as in a preflight, and how to look into the step."""

from rich.console import Console
from rich.text import Text

from diagnose.engine.report import Stopped
from diagnose.render.text import outcome_lines, print_lines


def show_stopped(stopped: Stopped, console: Console) -> None:
    """The roots, gravest first, then the recording."""
    lines = [(0, Text("THE RUN WAS STOPPED", style="bold red"))]
    for root in stopped.report.diagnosis:
        lines += [(0, Text("")), *outcome_lines(root.outcome, None)]
        for outcome in root.consequences:
            lines += outcome_lines(outcome, None, indent=4, lead="-> ")
    print_lines(lines, console)
    if stopped.recording:
        for line in ("", f"recording: {stopped.recording}", f"replay: diagnose nan-bisect {stopped.recording}"):
            console.print(line, soft_wrap=True)
