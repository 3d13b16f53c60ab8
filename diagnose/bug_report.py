"""What one attaches to a bug report: environment, report, receipt, configuration, first steps. No data."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnose.common.atomic_write import write_atomically
from diagnose.common.errors import InputError
from diagnose.environment import describe
from diagnose.gate.run_receipts import latest_folder

FIRST_STEPS = 20
QUOTING = ("data", "labels", "tokenizer", "learning", "generation")  # stages whose findings name rows and quote texts
LEFT_OUT = "left out: it may quote the data"


def write_bug_report(path: Path, run: Path | None) -> list[str]:
    """Writes the archive and says what is in it; without a run it holds the environment alone."""
    if run is not None and not run.is_dir():
        raise InputError(f"{run}: no such directory; pass the output directory of the run")
    entries = dict(_entries(run))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in entries.items():
            file.writestr(name, text)
    write_atomically(path, archive.getvalue())
    return list(entries)


def _entries(run: Path | None) -> Iterator[tuple[str, str]]:
    yield "environment.txt", "".join(f"{name}: {value}\n" for name, value in describe())
    for path in filter(Path.is_file, _files(run) if run else ()):
        text = path.read_text(encoding="utf-8", errors="replace")
        yield path.name, redact_findings(text) if path.name == "report.json" else text
    if run and (steps := first_steps(run)):
        yield "first_steps.json", json.dumps(steps, indent=1) + "\n"


def _files(run: Path) -> tuple[Path, ...]:
    """The last preflight, which may be that of another configuration than the run's, and the run's settings."""
    last = latest_folder(run)
    return last.report, last.receipt, run / "preflight" / "skipped.json", run / "config.resolved.yaml"


def redact_findings(report: str) -> str:
    """The report with its numbers, and without the words of findings that were made on data."""
    try:
        content = json.loads(report)
        for finding in (f for o in content["outcomes"] if o["stage"] in QUOTING for f in o["findings"]):
            numbers = {key: value for key, value in finding["measured"].items() if isinstance(value, int | float)}
            finding.update(where=LEFT_OUT, message=LEFT_OUT, measured=numbers, file=None)
        content.get("summary", {}).get("batch_values", {}).pop("labels", None)  # counts of ids are words of the data
    except (ValueError, KeyError, TypeError):
        return json.dumps({"unreadable": True}) + "\n"
    return json.dumps(content, indent=1) + "\n"


def first_steps(run: Path) -> list[dict[str, float]]:
    """The figures of the first logged steps, from the first file that kept them; numbers only, no data."""
    states = run.glob("checkpoint-*/trainer_state.json")
    by_step = sorted(states, key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0))
    for state in [*by_step, run / "trainer_state.json", *run.glob("metrics/*_metrics.json")]:
        try:
            content = json.loads(state.read_text(encoding="utf-8"))
            history: list[dict[str, Any]] = content.get("log_history") or content["history"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        rows = history[:FIRST_STEPS]
        return [{key: value for key, value in row.items() if isinstance(value, int | float)} for row in rows]
    return []
