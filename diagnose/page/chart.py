"""What a chart shows: series of points or bars, limits drawn as lines, and the numbers as a table."""

from collections.abc import Sequence
from dataclasses import dataclass, field

Point = tuple[float, float]
Cell = str | float | int | None
MOST_ROWS = 200  # of a table behind a chart: 10^6 rows must not make a page of 80 MB


@dataclass(frozen=True)
class ChartSeries:
    """Points that belong together, joined by a line unless `dots`."""

    name: str
    points: Sequence[Point]
    dots: bool = False
    names: Sequence[str] = ()  # of each point, shown when a pointer rests on it


@dataclass(frozen=True)
class Limit:
    """A value of the y axis (or of the x axis, where `vertical`) drawn as a dashed line with its name."""

    name: str
    value: float
    vertical: bool = False


@dataclass(frozen=True)
class Bar:
    """One named value; `alarm` marks an offender."""

    name: str
    value: float
    alarm: bool = False
    text: str = ""  # the value as it is written; by default the number


@dataclass(frozen=True)
class Table:
    """The numbers behind a chart. `left_out` rows are not shown."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left_out: int = 0

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> "Table":
        return cls(columns, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS))


@dataclass(frozen=True)
class Chart:
    """A titled chart. `summary` says in one sentence what it shows: screen readers read it, and so do people."""

    title: str
    summary: str
    table: Table
    x: str = ""
    y: str = ""
    series: Sequence[ChartSeries] = ()
    bars: Sequence[Bar] = ()
    limits: Sequence[Limit] = field(default=())
    log_x: bool = False
    log_y: bool = False
