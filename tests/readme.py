"""`python -m tests.readme` writes the README's table of probes anew, from the probes themselves."""

from __future__ import annotations

import re
from pathlib import Path

from diagnose.engine import installed
from diagnose.nouns import Stage

README = Path(__file__).resolve().parent.parent / "README.md"
BETWEEN = re.compile(r"(<!-- probes -->\n).*?(<!-- /probes -->)", re.DOTALL)


def table() -> str:
    """One row for each stage: how many probes look, and the faults they name."""
    probes = installed().probes
    rows = ["| stage | probes | faults that are named |", "|---|---|---|"]
    for stage in Stage:
        names = [probe.name.replace("_", " ") for probe in probes if probe.stage == stage]
        rows += [f"| {stage} | {len(names)} | {' · '.join(names)} |"] if names else []
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """The README with the table as it is now."""
    return BETWEEN.sub(lambda found: found[1] + table() + found[2], text)


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
