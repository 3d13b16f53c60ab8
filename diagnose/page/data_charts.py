"""Charts of the data: durations, characters per second, label coverage."""

from collections.abc import Iterator, Mapping
from math import log10
from statistics import median
from typing import Any

from diagnose.page.chart import Bar, Chart, ChartSeries, Table

NAMED = 5  # rows at either end that a summary names
SHOWN = 30  # rows of the label chart


def clip_length_charts(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """Characters over seconds: a misaligned transcript lies far from the others."""
    rows = [(where, seconds, characters) for where, seconds, characters in figure["rows"] if seconds > 0]
    by_rate = sorted(rows, key=lambda row: row[2] / row[1])
    middle = median(row[2] / row[1] for row in rows)
    ends = by_rate if len(by_rate) <= 2 * NAMED else [*by_rate[:NAMED], *by_rate[-NAMED:]]
    points = [(seconds, float(characters)) for _, seconds, characters in rows]
    names = [f"{where}: {seconds:.2f} s, {characters} characters" for where, seconds, characters in rows]
    slowest, fastest = by_rate[0], by_rate[-1]
    yield Chart(
        "Durations and characters",
        f"{len(rows):,} of {figure['total']:,} clips, {middle:.1f} characters per second at the median; "
        f"slowest {slowest[0]} with {slowest[2] / slowest[1]:.1f}, "
        f"fastest {fastest[0]} with {fastest[2] / fastest[1]:.1f}.",
        Table.of(
            ("row", "seconds", "characters", "characters per second"),
            [(where, seconds, characters, round(characters / seconds, 2)) for where, seconds, characters in ends],
        ),
        x="seconds",
        y="characters",
        series=(ChartSeries("clips", points, dots=True, names=names),),
    )


def label_coverage_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """What share of each row the loss scores, least first."""
    rows = sorted(figure["rows"], key=lambda row: row[2] / max(1, row[1]))
    positions, scored = sum(row[1] for row in rows), sum(row[2] for row in rows)
    bars = [
        Bar(where, 100 * kept / max(1, length), kept == 0, f"{kept} of {length}") for where, length, kept, _ in rows
    ]
    yield Chart(
        "Label positions that the loss scores",
        f"The loss scores {scored:,} of {positions:,} label positions in {len(rows):,} rows; least first.",
        Table.of(("row", "positions", "scored", "padding"), rows),
        x="percent of the row",
        bars=bars[:SHOWN],
    )


def level_chart(figure: Mapping[str, Any]) -> Iterator[Chart]:
    """Level over seconds: what is far too quiet, too loud or too long lies far from the others."""
    rows = [(name, seconds, 20 * log10(rms), peak) for name, seconds, rms, peak in figure["rows"]]
    if not rows:
        return
    by_level = sorted(rows, key=lambda row: row[2])
    shown = by_level if len(rows) <= 2 * NAMED else [*by_level[:NAMED], *by_level[-NAMED:]]
    yield Chart(
        "Durations and levels",
        f"{len(rows):,} of {figure['total']:,} files; quietest {by_level[0][0]} with {by_level[0][2]:.0f} dB, "
        f"loudest {by_level[-1][0]} with {by_level[-1][2]:.0f} dB of full scale.",
        Table.of(
            ("file", "seconds", "level in dB", "peak"), [(n, s, round(d, 1), round(p, 3)) for n, s, d, p in shown]
        ),
        x="seconds",
        y="dB of full scale",
        series=(
            ChartSeries(
                "files",
                [(seconds, level) for _, seconds, level, _ in rows],
                dots=True,
                names=[f"{name}: {seconds:.2f} s, {level:.1f} dB" for name, seconds, level, _ in rows],
            ),
        ),
    )
