"""Damaged files and failing system calls: `make bench WHAT=hardening`, fewer with GONOGO_INPUTS=1000 GONOGO_RUNS=10."""

from __future__ import annotations

import os

from tests.bench.campaigns import failed_calls, fuzz
from tests.bench.report import Measured


def measure() -> Measured:
    """Every kind of file."""
    inputs = int(os.environ.get("GONOGO_INPUTS", "10000"))
    return Measured(fuzz.campaign(inputs), f"{inputs} inputs of each kind, seeds 0 to {inputs - 1}")


def failing() -> Measured:
    """Runs whose system calls fail once."""
    runs = int(os.environ.get("GONOGO_RUNS", "300"))
    return Measured(failed_calls.campaign(runs), f"{runs} runs, each with one call that failed")


MEASUREMENTS = {"fuzzing": measure, "failed_calls": failing}
