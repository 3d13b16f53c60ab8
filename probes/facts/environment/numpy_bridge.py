"""Hands an array to torch and back: torch that was built for another numpy raises there, or ends python."""

from collections.abc import Callable

import numpy as np
import torch

from probes.facts.core.fork import CannotFork, ChildRaised, run_in_fork
from probes.facts.environment.types import NumpyBridge

NUMBERS = [0.0, 1.5, -2.0]


def round_trip_in_fork() -> NumpyBridge:
    """In a forked child where there can be one."""
    try:
        failed, error = run_in_fork(round_trip, 60.0)
    except CannotFork:
        failed, error = round_trip()
    except ChildRaised as end:
        failed, error = "an array handed to torch", f"{end.error}: {end.message}"
    return NumpyBridge(np.__version__, torch.__version__, failed, error)


def round_trip() -> tuple[str, str]:
    """The first way that does not work, and what it said; two empty texts when both do."""
    ways: dict[str, Callable[[], list[float]]] = {
        "torch.from_numpy": lambda: torch.from_numpy(np.array(NUMBERS)).tolist(),
        "torch.Tensor.numpy": lambda: torch.tensor(NUMBERS).numpy().tolist(),
    }
    for name, way in ways.items():
        try:
            came = way()
        except Exception as error:
            return name, f"{type(error).__name__}: {error}"
        if came != NUMBERS:
            return name, f"{NUMBERS} became {came}"
    return "", ""
