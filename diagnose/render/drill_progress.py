"""What a drill shows while it runs: a table that grows on a terminal, a line for each trial elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from diagnose.common.display import display
from diagnose.common.progress import is_quiet, log_line
from diagnose.drill.results import FaultTrial, HealthyTrial, TrialStatus
from diagnose.drill.run_drill import DrillPlan, OnResult

LATEST = 12  # rows of the table that moves
COLORS = {
    TrialStatus.CAUGHT: "green",
    TrialStatus.MISSED: "bold red",
    TrialStatus.UNPROVEN: "yellow",
    TrialStatus.NOT_APPLICABLE: "dim",
}


@contextmanager
def drill_progress(plan: DrillPlan) -> Iterator[OnResult]:
    """A table that moves on a terminal, a line for each trial elsewhere; silent under -q."""
    if not sys.stderr.isatty() or is_quiet():
        yield DrillLines(plan.trial_count).add
        return
    table = DrillTable(plan.trial_count)
    with display.showing(table.render):
        yield table.add


class DrillLines:
    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0

    def add(self, result: FaultTrial | HealthyTrial) -> None:
        if isinstance(result, HealthyTrial):
            log_line(f"drill: healthy, seed {result.seed}: {alarms_of(result)}, {result.seconds:.1f} s")
            return
        self.done += 1
        if result.ending is not TrialStatus.NOT_APPLICABLE:
            log_line(f"drill: {self.done}/{self.total} {result.fault}: {format_trial(result)}")


class DrillTable:
    def __init__(self, total: int) -> None:
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("trials"), TimeElapsedColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, auto_refresh=False)
        self.task = self.progress.add_task("drill", total=total)
        self.latest: list[tuple[str, str, str]] = []

    def add(self, result: FaultTrial | HealthyTrial) -> None:
        if isinstance(result, HealthyTrial):
            color = "red" if result.alarms else "green"
            self.latest.append((f"healthy, seed {result.seed}", alarms_of(result), color))
        else:
            self.progress.advance(self.task)
            if result.ending is not TrialStatus.NOT_APPLICABLE:
                self.latest.append((result.fault, format_trial(result), COLORS[result.ending]))
        del self.latest[:-LATEST]

    def render(self) -> RenderableType:
        table = Table(box=None, show_header=False, padding=(0, 1))
        for name, words, color in self.latest:
            table.add_row(name, Text(words, style=color, no_wrap=True, overflow="ellipsis"))
        return Group(table, self.progress)


def format_trial(trial: FaultTrial) -> str:
    """One trial in a line."""
    if trial.ending is not TrialStatus.CAUGHT:
        return f"{trial.ending}{f': {trial.reason}' if trial.reason else f', expected {trial.expected}'}"
    by = trial.expected if trial.named else f"{', '.join(trial.roots) or 'no check by name'}, expected {trial.expected}"
    return f"caught by {by} ({trial.stage}, {trial.seconds:.1f} s, {trial.passes:.0f} passes)"


def alarms_of(trial: HealthyTrial) -> str:
    return f"{len(trial.alarms)} false alarms" if trial.alarms else "nothing reported"
