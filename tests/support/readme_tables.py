"""`python -m tests.support.readme_tables` writes the README's tables: the probes, and the figures of the drill."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from diagnose.engine.engine import installed
from diagnose.engine.types import Stage

ROOT = Path(__file__).resolve().parents[2]
README, FIGURES = ROOT / "README.md", ROOT / "benchmarks" / "drill.json"
ARCHITECTURES = ("whisper", "e2e", "hybrid", "mt5")


def table() -> str:
    """One row for each stage: how many probes look, and the faults they name."""
    probes = installed().probes
    rows = ["| stage | probes | faults that are named |", "|---|---|---|"]
    for stage in Stage:
        names = [probe.name.replace("_", " ") for probe in probes if probe.stage == stage]
        rows += [f"| {stage} | {len(names)} | {' · '.join(names)} |"] if names else []
    return "\n".join(rows) + "\n"


def scoreboard() -> str:
    """What `make bench WHAT=drill` left, with its circumstances."""
    if not FIGURES.exists():
        return "`make bench WHAT=drill` measures it on four architectures; its figures stand here once it has run.\n"
    content = json.loads(FIGURES.read_text(encoding="utf-8"))
    figures, about = content["drill"], content["about"]
    rows = [
        "| subject | faults | trials | caught | named as a root | false alarms on healthy ones |",
        "|---|---|---|---|---|---|",
    ]
    rows += [_row(f"small {name}", figures[name]) for name in ARCHITECTURES if name in figures]
    rows += [_row(f"demo_{name}", found) for name, found in figures.get("demo", {}).items()]
    one = about[next(iter(about))]
    versions = ", ".join(f"{name} {number}" for name, number in one["versions"].items())
    commands = ", ".join(f"`{told['command']}`" for told in about.values())  # what was run, and no more
    head = f"Faults we put in ourselves: {one['date']}, {commands}, {one['cores']} cores, {versions}."
    return f"{head}\n\n" + "\n".join(rows) + "\n"


def _row(name: str, found: dict[str, Any]) -> str:
    shares = " | ".join(f"{found[share]:.1%}" for share in ("recall", "named"))
    healthy = f"{found['false_alarms']} in {found.get('healthy_seeds', 1)}"
    return f"| {name} | {found['faults']} | {found['trials']} | {shares} | {healthy} |"


PARTS = {"probes": table, "drill": scoreboard}


def written(text: str) -> str:
    """The README with the tables as they are now."""
    for name, make in PARTS.items():
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text = between.sub(lambda found, make=make: found[1] + make() + found[2], text)
    return text


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
