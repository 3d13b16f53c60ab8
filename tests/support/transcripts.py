"""`python -m tests.support.transcripts` writes docs/transcripts: what a person sees in a terminal of 80 x 40."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRANSCRIPTS = ROOT / "docs" / "transcripts"
TESTS = ROOT / "tests" / "diagnose" / "terminal" / "test_transcripts.py"
WRITE = "GONOGO_WRITE_TRANSCRIPTS"
# What differs from run to run and from machine to machine. Counts of checks change with each probe that is added.
CHANGING = (
    r"\d{4}-\d\d-\d\dT[\d:+.]+",
    r"training ━[━╸╺]* *\d+/\d+ (\d:\d\d:\d\d|-:--:--)",
    r"(?<=config:)\w+|(?<=data:)\w+|(?<=weights:)\w+|(?<=code:)\w+|(?<=torch:)\S+ \w+",
    r"(?<=after step )\d+|(?<=checkpoint-)\d+",
    r"(?<![\w.])\d+\.\d+(e[+-]\d+)?%?",
    r"\b\d+(?= s\b)|[\d,]+(?= MB)",
    r"(?<=step )\d+(?=/\d)",
    r"(?<![\w.])\d+(?= (checks?|other reasons|more)\b)",
    r"(?<=loss |norm |rate )\d+(e[+-]\d+)?",
    r"(?<=eval_\w\w\w )\d+|(?<=eval_\w\w\w\w )\d+",
)


def comparable(text: str) -> str:
    """The words of a transcript without what differs from run to run, and without where the lines break."""
    text = re.sub(r"\d+ notes?, ", "", text)  # about the machine, so that another one may have none
    for pattern in CHANGING:
        text = re.sub(pattern, "#", text)
    return " ".join(text.split())


def check(name: str, lines: list[str], directory: Path) -> None:
    """These lines are the committed transcript, or become it where transcripts are written."""
    path = TRANSCRIPTS / f"{name}.txt"
    text = "\n".join(lines).replace(str(directory), "~/speech") + "\n"
    if os.environ.get(WRITE):
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"there is no {path.name}; write it by python -m tests.support.transcripts"
    assert comparable(text) == comparable(path.read_text(encoding="utf-8")), (
        f"{path.name} is out of date; write it by python -m tests.support.transcripts"
    )


if __name__ == "__main__":
    os.environ[WRITE] = "1"
    sys.exit(pytest.main(["-q", str(TESTS)]))
