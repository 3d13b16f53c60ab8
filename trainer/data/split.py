"""`train split`: 80/10/10 by video or speaker, so that none is in two sets; by row where no column names any.

Groups are assigned to the three sets, the largest first, each to the set that lacks most; a few hundred such
assignments, varied by the seed, are tried, and the one nearest to the shares in rows and in seconds is taken.
Same rows and seed, same split.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.atomic_write import write_files
from diagnose.common.errors import InputError
from trainer.data.manifest import columns_of, duration_of, read_rows, table_text
from trainer.data.split_groups import RowGroups, choose_groups
from trainer.data.table import Row

if TYPE_CHECKING:
    from rich.table import Table

SHARES = {"train": 0.8, "dev": 0.1, "test": 0.1}
TRIES, STEPS = 500, 300_000  # assignments tried at most, and videos assigned at most: about a second of work
VARIATION = (0.3, 1.0)

Sizes = Mapping[str, tuple[float, float]]  # of each video, its share of all rows and of all seconds


@dataclass(frozen=True)
class SplitPart:
    """One of the three sets."""

    path: Path
    rows: int
    videos: int
    seconds: float


@dataclass(frozen=True)
class SplitReport:
    """The three sets, by name."""

    parts: dict[str, SplitPart]
    group: str
    reason: str

    def table(self) -> "Table":
        """The three sets, for a terminal."""
        from rich.table import Table

        rows = sum(part.rows for part in self.parts.values())
        table = Table("set", "rows", "share", self.group, "seconds", "file")
        for name, part in self.parts.items():
            share = f"{part.rows / rows:.1%}"
            table.add_row(name, f"{part.rows:,}", share, f"{part.videos:,}", f"{part.seconds:,.1f}", str(part.path))
        return table


def split(
    manifest: str | Path,
    directory: str | Path,
    group: str | None = None,
    seed: int = 42,
    columns: Mapping[str, str | None] | None = None,
) -> SplitReport:
    """Write train.csv, dev.csv and test.csv, in the order of the manifest; refuses fewer than 3 groups.

    Without `group`, the column to split by is chosen, see `choose_groups`; `columns` as in `read_rows`.
    """
    rows = read_rows(manifest, (group,) if group else (), columns)
    parts, groups = split_rows(rows, manifest, group, seed)
    return write_splits(parts, directory, groups)


def split_rows(
    rows: Sequence[Row], manifest: str | Path, group: str | None, seed: int
) -> tuple[dict[str, list[Row]], RowGroups]:
    """The rows of each set, in their order, and the groups by which they were divided."""
    groups = choose_groups(rows, group, len(SHARES))
    if len(set(groups.names)) < len(SHARES):
        raise InputError(
            f"{manifest}: found {len(set(groups.names))} different {groups.column!r} in {len(rows)} rows, expected at "
            f"least {len(SHARES)} so that train, dev and test share none; add some, or name another column"
        )
    assignment = assign(_sizes(rows, groups.names), seed)
    pairs = list(zip(rows, groups.names, strict=True))
    return {name: [row for row, key in pairs if assignment[key] == name] for name in SHARES}, groups


def write_splits(parts: Mapping[str, Sequence[Row]], directory: str | Path, groups: RowGroups) -> SplitReport:
    """Write the sets as CSV files."""
    paths = {name: Path(directory) / f"{name}.csv" for name in parts}
    write_files({paths[name]: table_text(paths[name], rows, columns_of(rows)) for name, rows in parts.items()})
    return SplitReport(
        {name: _part(paths[name], rows, groups) for name, rows in parts.items()}, groups.column, groups.reason
    )


def assign(sizes: Sizes, seed: int) -> dict[str, str]:
    """The set of each video: the best of many random assignments."""
    tries = max(1, min(TRIES, STEPS // len(sizes)))
    assignments = (_assign_once(sizes, random.Random(f"{seed} {attempt}")) for attempt in range(tries))
    return min(assignments, key=lambda assignment: _distance(sizes, assignment))


def _assign_once(sizes: Sizes, rng: random.Random) -> dict[str, str]:
    """Largest first, each to the set that lacks most; no set stays empty."""
    order = sorted(sorted(sizes), key=lambda name: -sum(sizes[name]) * rng.uniform(*VARIATION))
    lacking, assignment = dict(SHARES), dict[str, str]()
    for done, name in enumerate(order):
        empty = [part for part in SHARES if part not in assignment.values()] if len(order) - done <= len(SHARES) else []
        open_parts = empty if len(empty) >= len(order) - done else list(SHARES)
        assignment[name] = max(open_parts, key=lacking.__getitem__)
        lacking[assignment[name]] -= sum(sizes[name]) / 2
    return assignment


def _distance(sizes: Sizes, assignment: Mapping[str, str]) -> float:
    """The largest distance of a set from its share, in rows or in seconds."""
    totals = {name: [0.0, 0.0] for name in SHARES}
    for key, name in assignment.items():
        totals[name][0] += sizes[key][0]
        totals[name][1] += sizes[key][1]
    return max(abs(total - SHARES[name]) for name, pair in totals.items() for total in pair)


def _sizes(rows: Sequence[Row], groups: Sequence[str]) -> Sizes:
    seconds = [duration_of(row) or 0.0 for row in rows]
    if not all(seconds):
        seconds = [1.0] * len(rows)  # without all durations, rows are all we know
    lengths: dict[str, list[float]] = {key: [] for key in groups}
    for key, length in zip(groups, seconds, strict=True):
        lengths[key].append(length)
    total = fsum(seconds)  # exact sums: the order of the rows decides nothing
    return {key: (len(own) / len(rows), fsum(own) / total) for key, own in lengths.items()}


def _part(path: Path, rows: Sequence[Row], groups: RowGroups) -> SplitPart:
    seconds = sum(duration_of(row) or 0.0 for row in rows)
    return SplitPart(path, len(rows), len({groups.name_of(row) for row in rows}), seconds)
