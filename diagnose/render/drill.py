"""The result of a drill: the scoreboard and its totals."""

from collections.abc import Iterator

from rich.console import Console, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from diagnose.drill.results import TrialStatus
from diagnose.drill.scoreboard import FaultRow, Scoreboard
from diagnose.render.lines import VISIBLE, line, print_lines

NARROW = 120  # columns
COLUMNS: dict[str, JustifyMethod] = {
    "fault": "left", "expected": "left", "caught": "right", "named": "right", "stage": "left", "time": "right",
    "passes": "right", "in its words": "left",
}  # fmt: skip
COSTS = ("stage", "time", "passes")


def show(score: Scoreboard, console: Console) -> None:
    """The scoreboard, what does not apply and why, false alarms, totals."""
    console.print(scoreboard(score, console.width))
    for ending, head in (
        (TrialStatus.NOT_APPLICABLE, "does not apply"),
        (TrialStatus.UNPROVEN, "not injected"),
    ):
        rows = [row for row in score.rows if row.worst.ending is ending]
        if rows:
            console.print(f"\n{head}:")
        print_lines((line(f"{row.fault}: {_clean(row.worst.reason)}", 2) for row in rows), console)
    console.print("")
    print_lines(((0, text) for text in totals(score)), console)


def scoreboard(score: Scoreboard, width: int) -> Table:
    """Every column as wide as it must be; the words get what is left, in a narrow terminal without cost."""
    shown = [name for name in COLUMNS if width >= NARROW or name not in COSTS]
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for name in shown:
        table.add_column(name, justify=COLUMNS[name], overflow="fold", no_wrap=name not in ("fault", "in its words"))
    for row in score.rows:
        if row.applied:
            cells = dict(zip(COLUMNS, _cells(row), strict=True))
            table.add_row(*(cells[name] for name in shown))
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
    yield Text(f"injected faults: {caught} of {applied} caught, {score.named} named as the root cause{percent}")
    yield Text(
        f"{sum(bool(row.applied) for row in score.rows)} of {len(score.rows)} faults apply, "
        f"{score.seeds} seed{'s' * (score.seeds != 1)}, {score.elapsed:.0f} s"
    )
    words = {0: ("DRILL PASSED", "green"), 1: ("DRILL FAILED", "red"), 2: ("INCONCLUSIVE", "yellow")}
    head, color = words[score.exit_code]
    yield Text.assemble((head, f"bold {color}"), "" if score.whole else ": the drill was interrupted")


def _clean(text: str) -> str:
    return " ".join(text.translate(VISIBLE).split())
