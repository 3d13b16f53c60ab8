"""`python -m tests.bench.peer_tools TOOL SET [BEGINNING]`: one JSON line for each run of the set."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import torch

from tests.bench.peer_tools.cases import SETS, Case
from tests.bench.peer_tools.tools import TOOLS, NotForThisTool


def judged(tool: str, case: Case) -> dict[str, Any] | None:
    """What a tool says of a run; None where there is no such run."""
    facts = case.build()
    if facts is None:
        return None
    torch.manual_seed(case.seed)
    row: dict[str, Any] = {"name": case.name, "seed": case.seed, "broken": case.broken, "alarms": [], "refused": ""}
    start = time.perf_counter()
    try:
        row["alarms"] = TOOLS[tool](facts)
    except NotForThisTool as reason:
        row["refused"] = str(reason)
    except Exception as error:
        row["refused"] = f"{type(error).__name__}: {error}"[:300]
    row["seconds"] = round(time.perf_counter() - start, 2)
    row["named"] = any(re.search(case.words, alarm, re.IGNORECASE) for alarm in row["alarms"] if case.words)
    return row


def main(tool: str, chosen: str, beginning: str = "") -> None:
    warnings.filterwarnings("ignore")
    out = os.fdopen(os.dup(1), "w")  # what a tool or a trainer prints must not get between the lines
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        for case in SETS[chosen]():
            if case.name.startswith(beginning) and (row := judged(tool, case)) is not None:
                print(json.dumps(row), file=out, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
