"""Other tools beside ours, on the same runs: bugs caught, bugs named, false alarms, seconds.

An alarm is an error or a warning. A bug is caught where one is raised, told apart where its healthy twin does not get
it, and named where it speaks of the bug. It needs the extra `bench`, or PEERS_PYTHON, an interpreter that has the
tools. Each tool runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from tests.bench.report import Measured

ROOT = Path(__file__).resolve().parent.parent.parent
# Of the 60 runs with a bug ours caught 36 and named 27 before eight probes were written with these bugs in view.
REPETITIONS = {"classic": "3 seeds; the bugs are of our own making, and eight of our probes were written to find them"}
NAMES = ("gonogo", "torchtest2", "trainproof", "torch_audit")
MISSING = "the peers are not installed: run `pip install -c constraints.txt -e '.[bench]'`, or set PEERS_PYTHON"


def measure(chosen: str) -> Measured:
    """All tools on one set of runs."""
    python = os.environ.get("PEERS_PYTHON", sys.executable)
    if subprocess.run([python, "-c", f"import {', '.join(NAMES[1:])}"], capture_output=True).returncode:
        sys.exit(MISSING)
    rows = {tool: _rows(python, tool, chosen) for tool in NAMES}
    figures: dict[str, Any] = {tool: _figures(found) for tool, found in rows.items()}
    if chosen == "classic":
        bugs = dict.fromkeys(row["name"] for row in rows["gonogo"])
        figures["bugs"] = {name: {tool: _state(found, name) for tool, found in rows.items()} for name in bugs}
    return Measured(figures, REPETITIONS.get(chosen, "1 seed"))


def _rows(python: str, tool: str, chosen: str) -> list[dict[str, Any]]:
    command = [python, "-m", "tests.bench.peer_tools", tool, chosen]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    broken = [row for row in rows if row["broken"]]
    healthy = [row for row in rows if not row["broken"] and not row["refused"]]
    figures: dict[str, Any] = {}
    if broken:
        counts = {
            "caught": lambda row: row["alarms"],
            "told apart": partial(_apart, rows),
            "named": itemgetter("named"),
        }
        figures = {what: f"{sum(map(bool, map(held, broken)))} of {len(broken)}" for what, held in counts.items()}
    wrong = [row["name"] for row in healthy if row["alarms"]]
    figures["false alarms"] = f"{len(wrong)} of {len(healthy)}"
    figures["false alarms on"] = ", ".join(dict.fromkeys(wrong)) or "none"
    figures["could not be given"] = sum(bool(row["refused"]) for row in rows)
    return {**figures, "seconds": round(sum(row["seconds"] for row in rows), 1)}


def _apart(rows: list[dict[str, Any]], row: dict[str, Any]) -> set[str]:
    """The checks that raise an alarm here and not on the healthy twin of the same seed."""
    whole = row["name"].split(" ")[0]
    twins = [one for one in rows if not one["broken"] and (one["name"], one["seed"]) == (whole, row["seed"])]
    return _checks(row) - set().union(*map(_checks, twins))


def _checks(row: dict[str, Any]) -> set[str]:
    return {alarm.split()[0] for alarm in row["alarms"]}


def _state(rows: list[dict[str, Any]], name: str) -> str:
    own = [row for row in rows if row["name"] == name]
    broken = [row for row in own if row["broken"]]
    named, apart = (
        sum(map(bool, found)) for found in (map(itemgetter("named"), broken), map(partial(_apart, own), broken))
    )
    false = sum(bool(row["alarms"]) for row in own if not row["broken"])
    return f"named {named}, told apart {apart}, false alarms {false}"


MEASUREMENTS = {chosen: partial(measure, chosen) for chosen in ("classic", "zoo", "zoo_faults")}
