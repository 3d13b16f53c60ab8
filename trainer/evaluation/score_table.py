"""Table of an evaluation for the terminal: value, target, met or missed."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from trainer.evaluation.evaluate import Scores

VERDICTS = {True: ("met", "green"), False: ("missed", "red"), None: ("–", "")}


def print_scores(scores: Sequence["Scores"]) -> None:
    """Print the tables to stdout, plain if it is piped."""

    width = None if sys.stdout.isatty() else 120
    from diagnose.common.plain_console import PlainConsole

    console = PlainConsole(width=width, markup=False, highlight=False, emoji=False)
    for one in scores:
        names = " or ".join(dict.fromkeys(score.baseline_name for score in one.metrics if score.baseline_name))
        console.print(f"{one.name}: {one.clips} rows{f'; baseline: {names}' * bool(names)}", soft_wrap=True)
        console.print(_table(one))
        console.print(_footer(one), soft_wrap=True)


def _table(scores: "Scores") -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    lines = box.ROUNDED if sys.stdout.isatty() else None
    table = Table(box=lines)
    table.add_column("metric")
    for column in ("value", "baseline", "target"):
        table.add_column(column, justify="right")
    table.add_column("")
    for score in scores.metrics:
        figures = (_figure(score.value), _figure(score.baseline), score.target or "–")
        table.add_row(score.label, *figures, Text(*VERDICTS[score.met]))
    return table


def _figure(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f}"


def _footer(scores: "Scores") -> str:
    pace = "" if scores.real_time_factor is None else f", RTF {scores.real_time_factor:.3f}"
    latency = f"latency {1000 * scores.latency_seconds:.0f} ms/row (batch size {scores.batch_size}){pace}"
    return f"{latency}\n{scores.metrics_path}\n{scores.predictions_path}\n"
