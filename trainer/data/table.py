"""A table of rows as text, with the file and line of each row; every manifest is read into one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from diagnose.common.errors import InputError

Row = dict[str, str]  # the columns of the file, and the two below
FILE, LINE = "_file", "_line"
NAMED = 10  # lines of bad rows in one sentence


@dataclass(frozen=True)
class RowProblem:
    """A row that cannot be read, or a value in one that is readable and makes no sense."""

    path: Path
    line: int
    message: str  # what was found, what was expected, the remedy
    is_readable: bool = False

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.message}"


@dataclass(frozen=True)
class ManifestTable:
    """The rows of one manifest and those that cannot be read; `line` is that of the column names."""

    path: Path
    columns: tuple[str, ...]
    rows: list[Row]
    line: int = 1
    problems: list[RowProblem] = field(default_factory=list)

    def __post_init__(self) -> None:
        twice = sorted({name for name in self.columns if self.columns.count(name) > 1})
        if twice:
            raise InputError(f"{self.place}: column {quoted(twice)} is duplicated; rename or remove one")
        ours = [name for name in self.columns if name in (FILE, LINE)]
        if ours:
            raise InputError(f"{self.place}: {quoted(ours)} is kept for the row's origin; rename the column")

    @property
    def place(self) -> str:
        return f"{self.path}, line {self.line}"

    def require_readable(self) -> None:
        """Refuse a table with rows that cannot be read: the first is explained, the others are counted."""
        if self.problems:
            others = [str(problem.line) for problem in self.problems[1:]]
            more = f" ({len(others)} more rows cannot be read, on line {', '.join(others[:NAMED])})" if others else ""
            raise InputError(f"{self.problems[0]}{more}")

    def require(self, names: Sequence[str]) -> None:
        """Refuse missing columns, naming the nearest existing one of each."""
        missing = [name for name in names if name not in self.columns]
        if missing:
            others = [column for column in self.columns if column not in names]
            remedy = " and ".join(_nearest(name, others) for name in missing)
            raise InputError(f"{self.place}: no column {quoted(missing)}, found {quoted(self.columns)}; {remedy}")


def quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _nearest(name: str, columns: Sequence[str]) -> str:
    lowered = {column.lower(): column for column in columns}
    close = get_close_matches(name.lower(), lowered, n=1)
    return f"rename {lowered[close[0]]!r} to {name!r}" if close else f"add {name!r}"
