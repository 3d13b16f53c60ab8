"""The options of `diagnose data` that say how all rows are looked at."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from diagnose.audit.result_store import default_store
from diagnose.audit.types import AuditPlan
from diagnose.common.errors import InputError

FOLDER = click.Path(file_okay=False, path_type=Path)
LOCAL = "local"  # the value of --ray without an address
STORE = "audit.sqlite"


def parse_shard(context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, int] | None:
    """`2/5`: the second of five."""
    if text is None:
        return None
    match = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if match is None or int(match[1]) > int(match[2]):
        raise InputError(f"--shard {text}: expected I/N with I from 1 to N, such as 2/5")
    return int(match[1]), int(match[2])


def plan_options(command: Callable[..., Any]) -> Any:
    """--jobs, --ray, --shard, --merge, --store: the command gets them as `jobs`, `ray`, `shard`, `merge`, `store`."""
    jobs = "Processes that measure audio; by default one for each core."
    for option in (
        click.option("--store", type=FOLDER, metavar="DIR", help="Where results are kept; by default in the cache."),
        click.option("--merge", is_flag=True, help="Judge what the shards in --store DIR have measured."),
        click.option("--shard", metavar="I/N", callback=parse_shard, help="Only measure part I of N, into --store."),
        click.option(
            "--ray",
            is_flag=False,
            flag_value=LOCAL,
            metavar="ADDRESS",
            help="Measure on Ray, by default on this machine.",
        ),
        click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help=jobs),
    ):
        command = option(command)
    return command


def plan_of(
    jobs: int | None, ray: str | None, shard: tuple[int, int] | None, merge: bool, store: Path | None
) -> AuditPlan:
    if (shard or merge) and store is None:
        raise InputError("--shard and --merge need a folder that all shards share: add --store DIR")
    if shard and merge:
        raise InputError("--shard measures and --merge judges: expected one of them")
    file = default_store() if store is None else store / STORE
    if shard and store:
        file = store / f"shard-{shard[0]}-of-{shard[1]}.sqlite"
    address = None if ray is None else "" if ray == LOCAL else ray
    return AuditPlan(file, jobs or _cores(), shard, _shards_in(store) if merge and store else (), address)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shards_in(folder: Path) -> tuple[Path, ...]:
    found = sorted(folder.glob("shard-*-of-*.sqlite"), key=lambda path: (len(path.name), path.name))
    counts = {path.stem.rpartition("-")[2] for path in found}
    if not found or len(counts) > 1:
        what = f"shards of {' and of '.join(sorted(counts))}" if counts else "no shard"
        raise InputError(f"{folder}: found {what}, expected shard-1-of-N.sqlite and the others; run --shard I/N first")
    return tuple(found)
