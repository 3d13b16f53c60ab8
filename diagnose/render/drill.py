"""The drill for a person: a table that grows while it runs, then the scoreboard."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from diagnose.common.progress import is_quiet, log_line
from diagnose.drill.results import FaultTrial, HealthyTrial, TrialStatus
from diagnose.drill.run_drill import DrillPlan, OnResult
from diagnose.drill.scoreboard import FaultRow, Scoreboard
from diagnose.render.text import VISIBLE
from diagnose.terminal import terminal

LATEST = 12  # rows of the table that moves
COLOURS = {
    TrialStatus.CAUGHT: "green",
    TrialStatus.MISSED: "bold red",
    TrialStatus.UNPROVEN: "yellow",
    TrialStatus.NOT_APPLICABLE: "dim",
}


@contextmanager
def drill_progress(plan: DrillPlan) -> Iterator[OnResult]:
    """A table that moves on a terminal, a line for each trial elsewhere; silent under -q."""
    console = terminal.console(stderr=True)
    if not console.is_terminal or is_quiet():
        yield DrillLines(plan.trial_count).add
        return
    from rich.live import Live

    table = DrillTable(plan.trial_count, console)
    with Live(console=console, get_renderable=table.render, refresh_per_second=4, transient=True):
        yield table.add


class DrillLines:
    def __init__(self, total: int) -> None:
        self.total, self.done = total, 0

    def add(self, result: FaultTrial | HealthyTrial) -> None:
        if isinstance(result, HealthyTrial):
            log_line(f"drill: healthy, seed {result.seed}: {_alarms(result)}, {result.seconds:.1f} s")
            return
        self.done += 1
        if result.ending is not TrialStatus.NOT_APPLICABLE:
            log_line(f"drill: {self.done}/{self.total} {result.fault}: {format_trial(result)}")


class DrillTable:
    def __init__(self, total: int, console: Console) -> None:
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("trials"), TimeElapsedColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, console=console)
        self.task = self.progress.add_task("drill", total=total)
        self.latest: list[tuple[str, str, str]] = []

    def add(self, result: FaultTrial | HealthyTrial) -> None:
        if isinstance(result, HealthyTrial):
            colour = "red" if result.alarms else "green"
            self.latest.append((f"healthy, seed {result.seed}", _alarms(result), colour))
        else:
            self.progress.advance(self.task)
            if result.ending is not TrialStatus.NOT_APPLICABLE:
                self.latest.append((result.fault, format_trial(result), COLOURS[result.ending]))
        del self.latest[:-LATEST]

    def render(self) -> RenderableType:
        table = Table(box=None, show_header=False, padding=(0, 1))
        for name, words, colour in self.latest:
            table.add_row(name, Text(words, style=colour, no_wrap=True, overflow="ellipsis"))
        return Group(table, self.progress)


def format_trial(trial: FaultTrial) -> str:
    """One trial in a line."""
    if trial.ending is not TrialStatus.CAUGHT:
        return f"{trial.ending}{f': {trial.reason}' if trial.reason else f', expected {trial.expected}'}"
    by = trial.expected if trial.named else f"{', '.join(trial.roots) or 'nobody by name'}, expected {trial.expected}"
    return f"caught by {by} ({trial.stage}, {trial.seconds:.1f} s, {trial.passes:.0f} passes)"


def _alarms(twin: HealthyTrial) -> str:
    return f"{len(twin.alarms)} false alarms" if twin.alarms else "nothing reported"


def show(score: Scoreboard, console: Console) -> None:
    """The scoreboard, what does not apply and why, false alarms, totals."""
    console.print(scoreboard(score, console.width))
    for ending, head in ((TrialStatus.NOT_APPLICABLE, "does not apply"), (TrialStatus.UNPROVEN, "could not be put in")):
        rows = [row for row in score.rows if row.worst.ending is ending]
        if rows:
            console.print(f"\n{head}:")
        for row in rows:
            console.print(f"  {row.fault}: {_clean(row.worst.reason)}", soft_wrap=True)
    console.print("")
    for line in totals(score):
        console.print(line, soft_wrap=True)


def scoreboard(score: Scoreboard, width: int) -> Table:
    """Every column as wide as it must be; the words get what is left."""
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    rows = [row for row in score.rows if row.applied]
    widths = {"fault": max((len(row.fault) for row in rows), default=5), "expected": 8, "caught": 6, "named": 5}
    widths |= {"stage": 11, "time": 7, "passes": 6}
    widths["in its words"] = max(20, width - sum(widths.values()) - len(widths) - 1)
    for name, wide in widths.items():
        right = name in ("caught", "named", "time", "passes")
        table.add_column(name, justify="right" if right else "left", width=wide, no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*_cells(row))
    return table


def _cells(row: FaultRow) -> Iterator[RenderableType]:
    worst, tried = row.worst, len(row.applied)
    yield row.fault
    yield worst.expected
    yield Text(f"{row.caught}/{tried}", style="green" if row.caught == tried else "bold red")
    yield Text(f"{row.named}/{tried}", style="green" if row.named == tried else "yellow")
    yield worst.stage
    yield f"{row.seconds:.1f} s"
    yield f"{row.passes:.0f}"
    yield Text(_clean(worst.words if worst.named else f"{', '.join(worst.roots) or '-'}: {worst.words}"), style="dim")


def totals(score: Scoreboard) -> Iterator[Text]:
    caught, applied = len(score.having(TrialStatus.CAUGHT)), score.applied
    twins, alarms = len(score.healthy_trials), score.alarms
    yield Text(f"healthy: {twins} of {twins} silent" if not alarms else f"healthy: {len(alarms)} false alarms")
    yield from (Text(f"  {_clean(alarm)}", style="red") for alarm in alarms)
    percent = f" ({score.named / applied:.1%})" if applied else ""
    yield Text(f"faults we put in ourselves: {caught} of {applied} caught, {score.named} named as a root{percent}")
    yield Text(
        f"{sum(bool(row.applied) for row in score.rows)} of {len(score.rows)} faults apply, "
        f"{score.seeds} seed{'s' * (score.seeds != 1)}, {score.elapsed:.0f} s"
    )
    words = {0: ("THE ALARM WORKS", "green"), 1: ("THE ALARM FAILED", "red"), 2: ("CANNOT VOUCH", "yellow")}
    head, colour = words[score.exit_code]
    yield Text.assemble((head, f"bold {colour}"), "" if score.whole else ": the drill was cut short")


def _clean(text: str) -> str:
    return " ".join(text.translate(VISIBLE).split())
