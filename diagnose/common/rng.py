"""RNG states of python, numpy and torch. numpy and torch are used if they are imported already, never imported here."""

import random
import sys
from collections.abc import Callable
from typing import Any

Restore = Callable[[], None]


def get_rng_states() -> dict[str, Any]:
    """The states of the generators on the CPU, by package; no device is synchronized."""
    states: dict[str, Any] = {"python": random.getstate()}
    if "numpy" in sys.modules:
        states["numpy"] = sys.modules["numpy"].random.get_state()
    if "torch" in sys.modules:
        states["torch"] = sys.modules["torch"].get_rng_state()
    return states


def set_rng_states(states: dict[str, Any]) -> None:
    random.setstate(states["python"])
    if "numpy" in states:
        sys.modules["numpy"].random.set_state(states["numpy"])
    if "torch" in states:
        sys.modules["torch"].set_rng_state(states["torch"])


def save_rng_states() -> Restore:
    """Saves the states of all generators, those of devices included; the function that it returns restores them."""
    states = get_rng_states()
    restore_devices = _save_devices(sys.modules["torch"]) if "torch" in states else lambda: None

    def restore() -> None:
        set_rng_states(states)
        restore_devices()

    return restore


def _save_devices(torch: Any) -> Restore:
    initial_seed, cuda_used = torch.initial_seed(), torch.cuda.is_initialized()
    cuda = torch.cuda.get_rng_state_all() if cuda_used else []
    mps = torch.mps.get_rng_state() if torch.backends.mps.is_available() else None

    def restore() -> None:
        if cuda_used:
            torch.cuda.set_rng_state_all(cuda)
        elif torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(initial_seed)
        if mps is not None:
            torch.mps.set_rng_state(mps)

    return restore
