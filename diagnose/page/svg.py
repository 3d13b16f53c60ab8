"""Charts as SVG. Colors come from the page's style sheet, so that light and dark are one drawing.

Plain SVG and no chart library: plotly adds 4.8 MB to a page and runs scripts; these charts are a few kB.
"""

from collections.abc import Iterator, Sequence
from html import escape

from diagnose.page.axes import Axis, axis_of, number
from diagnose.page.chart import Bar, Chart, ChartSeries

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 28, 44  # room for a legend above the lines
BAR, NAME = 20, 250  # pixels: height of a bar with its gap, width of the names
MOST_POINTS = 400  # of a line, which is 640 pixels wide


def svg(chart: Chart) -> str:
    """The drawing; its label is the summary."""
    body, height = (_bars(chart), BAR * len(chart.bars) + 8) if chart.bars else (_lines(chart), HEIGHT)
    label = escape(chart.summary)
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">{"".join(body)}</svg>'


def _lines(chart: Chart) -> Iterator[str]:
    across = [limit.value for limit in chart.limits if limit.vertical]
    along = [limit.value for limit in chart.limits if not limit.vertical]
    points = [point for series in chart.series for point in series.points]
    x = axis_of([*(p[0] for p in points), *across], LEFT, WIDTH - RIGHT, chart.log_x)
    y = axis_of([*(p[1] for p in points), *along], HEIGHT - BOTTOM, TOP, chart.log_y)
    yield from _frame(chart, x, y)
    for limit in chart.limits:
        yield _limit(limit.name, (x if limit.vertical else y).at(limit.value), limit.vertical)
    for index, series in enumerate(chart.series):
        yield from _dots(series, x, y, index) if series.dots else _line(series, x, y, index)
    if len(chart.series) > 1:
        yield from _legend(chart.series)


def _frame(chart: Chart, x: Axis, y: Axis) -> Iterator[str]:
    bottom, middle = HEIGHT - BOTTOM, (TOP + HEIGHT - BOTTOM) / 2
    for tick in y.ticks():
        at = y.at(tick)
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{number(tick)}</text>'
    for tick in x.ticks():
        yield f'<text x="{x.at(tick):.1f}" y="{bottom + 16}" text-anchor="middle">{number(tick)}</text>'
    yield f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{bottom}" y2="{bottom}"/>'
    yield f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(chart.x)}</text>'
    yield f'<text transform="rotate(-90 12 {middle})" x="12" y="{middle}" text-anchor="middle">{escape(chart.y)}</text>'


def _line(series: ChartSeries, x: Axis, y: Axis, index: int) -> Iterator[str]:
    step = -(-len(series.points) // MOST_POINTS) or 1
    kept = [*series.points[::step], *series.points[-1:]]
    places = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in kept if a == a and b == b)
    yield f'<polyline class="series s{index % 6}" points="{places}"/>'


def _dots(series: ChartSeries, x: Axis, y: Axis, index: int) -> Iterator[str]:
    for number_, (a, b) in enumerate(series.points):
        title = f"<title>{escape(series.names[number_])}</title>" if number_ < len(series.names) else ""
        yield f'<circle class="dot s{index % 6}" cx="{x.at(a):.1f}" cy="{y.at(b):.1f}" r="3">{title}</circle>'


def _limit(name: str, at: float, vertical: bool) -> str:
    if vertical:
        place = f'x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"'
        text = f'x="{at + 4:.1f}" y="{TOP + 10}"'
    else:
        place = f'x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}"'
        text = f'x="{WIDTH - RIGHT}" y="{at - 4:.1f}" text-anchor="end"'
    return f'<line class="limit" {place}/><text class="limit" {text}>{escape(name)}</text>'


def _legend(all_series: Sequence[ChartSeries]) -> Iterator[str]:
    at = float(LEFT + 8)
    for index, series in enumerate(all_series):
        yield f'<rect class="key s{index % 6}" x="{at}" y="4" width="10" height="10"/>'
        yield f'<text x="{at + 14}" y="13">{escape(series.name)}</text>'
        at += 30 + 6.6 * len(series.name)


def _bars(chart: Chart) -> Iterator[str]:
    values = [bar.value for bar in chart.bars]
    x = axis_of([*values, *(limit.value for limit in chart.limits)], NAME, WIDTH - 70, chart.log_x)
    for row, bar in enumerate(chart.bars):
        yield from _bar(bar, row * BAR, x)
    for limit in chart.limits:
        at = x.at(limit.value)
        yield f'<line class="limit" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{BAR * len(chart.bars)}"/>'
        yield f'<text class="limit" x="{at + 3:.1f}" y="10">{escape(limit.name)}</text>'


def _bar(bar: Bar, top: int, x: Axis) -> Iterator[str]:
    end = x.at(bar.value) if bar.value == bar.value else x.start
    short = bar.name if len(bar.name) <= 38 else f"…{bar.name[-37:]}"
    name, width = f"{escape(short)}<title>{escape(bar.name)}</title>", max(1.0, end - x.start)
    yield f'<text x="{NAME - 6}" y="{top + 15}" text-anchor="end">{name}</text>'
    kind = "bar alarm" if bar.alarm else "bar"
    yield f'<rect class="{kind}" x="{x.start:.1f}" y="{top + 4}" width="{width:.1f}" height="{BAR - 6}"/>'
    yield f'<text x="{max(end, x.start) + 5:.1f}" y="{top + 15}">{escape(bar.text or number(bar.value))}</text>'
