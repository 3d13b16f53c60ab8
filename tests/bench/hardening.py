"""Damaged files by the thousand: `make bench WHAT=hardening`; GONOGO_INPUTS=1000 for fewer of each kind."""

from __future__ import annotations

import os

from tests.bench.campaigns import fuzz
from tests.bench.report import Measured


def measure() -> Measured:
    """Every kind of file."""
    inputs = int(os.environ.get("GONOGO_INPUTS", "10000"))
    return Measured(fuzz.campaign(inputs), f"{inputs} inputs of each kind, seeds 0 to {inputs - 1}")


MEASUREMENTS = {"fuzzing": measure}
