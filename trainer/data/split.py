"""`train split`: 80/10/10 by video, so that no video is in two sets.

Videos are assigned to the three sets, the largest first, each to the set that lacks most; a few hundred such
assignments, varied by the seed, are tried, and the one nearest to the shares in rows and in seconds is taken.
Same rows and seed, same split.
"""

import random
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.atomic_write import write_files
from diagnose.common.errors import InputError
from trainer.data.manifest import Row, columns_of, duration_of, read_rows, row_id, table_text

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

    def table(self) -> "Table":
        """The three sets, for a terminal."""
        from rich.table import Table

        rows = sum(part.rows for part in self.parts.values())
        table = Table("set", "rows", "share", self.group, "seconds", "file")
        for name, part in self.parts.items():
            share = f"{part.rows / rows:.1%}"
            table.add_row(name, f"{part.rows:,}", share, f"{part.videos:,}", f"{part.seconds:,.1f}", str(part.path))
        return table


def split(manifest: str | Path, directory: str | Path, group: str = "video_id", seed: int = 42) -> SplitReport:
    """Write train.csv, dev.csv and test.csv, in the order of the manifest; refuses fewer than 3 videos."""
    rows = read_rows(manifest, (group,))
    groups = [_group(row, group) for row in rows]
    names = sorted(set(groups))
    if len(names) < len(SHARES):
        raise InputError(
            f"{manifest}: found {len(names)} different {group!r} in {len(rows)} rows, expected at least {len(SHARES)} "
            "so that train, dev and test share none; add videos, or name another column"
        )
    assignment = assign(_sizes(rows, groups), seed)
    parts = {name: [row for row, key in zip(rows, groups, strict=True) if assignment[key] == name] for name in SHARES}
    paths = {name: Path(directory) / f"{name}.csv" for name in SHARES}
    write_files({paths[name]: table_text(paths[name], parts[name], columns_of(rows)) for name in SHARES})
    return SplitReport({name: _part(paths[name], parts[name], group) for name in SHARES}, group)


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


def _group(row: Row, column: str) -> str:
    """The group of a row, without surrounding spaces and in composed Unicode (NFC)."""
    name = unicodedata.normalize("NFC", row[column]).strip()
    if not name:
        raise InputError(f"{row_id(row)}: {column!r} is empty, so the row may leak into another set; fill it in")
    return name


def _part(path: Path, rows: Sequence[Row], group: str) -> SplitPart:
    seconds = sum(duration_of(row) or 0.0 for row in rows)
    return SplitPart(path, len(rows), len({_group(row, group) for row in rows}), seconds)
