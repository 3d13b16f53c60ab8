"""RNG states: taken at the start of a step, restored, and written as JSON."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import torch

from diagnose.common.rng import get_rng_states, set_rng_states

RngState: TypeAlias = dict[str, Any]


def get_rng_state(device: torch.device) -> RngState:
    """RNG states of python, numpy, torch and the CUDA device; never synchronizes."""
    states = get_rng_states()
    return states if device.type != "cuda" else {**states, "cuda": torch.cuda.get_rng_state(device)}


def set_rng_state(states: RngState, device: torch.device) -> None:
    """Restore the generators."""
    set_rng_states(states)
    if "cuda" in states and device.type == "cuda":
        torch.cuda.set_rng_state(states["cuda"], device)


def rng_state_to_json(states: RngState) -> dict[str, Any]:
    """RNG states as JSON values, without loss."""
    version, numbers, gauss = states["python"]
    name, keys, *rest = states["numpy"]
    plain = {"python": [version, list(numbers), gauss], "numpy": [name, keys.tolist(), *rest]}
    return plain | {kind: bytes(states[kind].tolist()).hex() for kind in ("torch", "cuda") if kind in states}


def rng_state_from_json(plain: dict[str, Any]) -> RngState:
    """The reverse of `rng_state_to_json`."""
    version, numbers, gauss = plain["python"]
    name, keys, *rest = plain["numpy"]
    states = {"python": (version, tuple(numbers), gauss), "numpy": (name, np.array(keys, dtype=np.uint32), *rest)}
    kinds = (kind for kind in ("torch", "cuda") if kind in plain)
    return states | {kind: torch.tensor(list(bytes.fromhex(plain[kind])), dtype=torch.uint8) for kind in kinds}
