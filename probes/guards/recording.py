"""The recording of a step that a guard stopped in the trainer of somebody else: batches, RNG states, weights."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from diagnose.common.rng import get_rng_states, set_rng_states

log = logging.getLogger(__name__)

FOLDER, FILE, FORMAT = "recordings", "step.pt", "guard-1"
MOST = 3  # of one run: the first failures tell most
PLAIN = (int, float, bool, str, bytes, type(None))


class StepRecorder:
    """Keeps the batches of a step and the RNG states before each, until its update is made."""

    def __init__(self, enabled: bool = True) -> None:
        self.enabled, self.written = enabled, 0
        self._batches: list[Any] = []
        self._states: list[dict[str, Any]] = []

    def note(self, batch: Any) -> None:
        """Called before the forward pass of a batch."""
        if self.enabled:
            self._batches.append(batch)
            self._states.append(rng_states())

    def clear(self) -> None:
        """The update was made."""
        self._batches, self._states = [], []

    def write(self, run: Path | str, step: int, model: torch.nn.Module, losses: list[float], precision: str) -> Any:
        """The recording's folder; None, with a warning, where it cannot be written."""
        if not self._batches or self.written >= MOST:
            return None
        folder = Path(run) / FOLDER / f"step-{step:07d}"
        try:
            weights = {name: value for name, value in model.state_dict().items() if isinstance(value, torch.Tensor)}
            held = {"weights": _plain(weights), "batches": _plain(self._batches), "rng_states": _plain(self._states)}
            held |= {"format": FORMAT, "step": step, "losses": losses, "precision": precision}
            folder.mkdir(parents=True, exist_ok=True)
            torch.save(held, folder / f".{FILE}")
            (folder / f".{FILE}").replace(folder / FILE)
        except Exception as error:  # whatever it is, it must not take the place of what stopped the run
            log.warning("the recording of step %d could not be written: %s", step, error)
            return None
        self.written += 1
        return folder


def rng_states() -> dict[str, Any]:
    """Of python, numpy and torch, and of the GPUs that are in use."""
    devices = {"cuda": torch.cuda.get_rng_state_all()} if torch.cuda.is_initialized() else {}
    return get_rng_states() | devices


def restore_rng(states: Mapping[str, Any]) -> None:
    """Sets the generators to what was recorded."""
    known = dict(states)
    if "numpy" in known:
        kind, keys, *rest = known["numpy"]
        known["numpy"] = (kind, keys.numpy() if isinstance(keys, torch.Tensor) else keys, *rest)
    set_rng_states(known)
    if "cuda" in known and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(known["cuda"])


def _plain(value: Any) -> Any:
    """Tensors on the CPU, containers and numbers only: what torch.load reads without running code."""
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value)) if type(value) in (list, tuple) else [_plain(one) for one in value]
    if isinstance(value, PLAIN):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        return torch.from_numpy(value.copy()) if value.ndim else value.item()
    raise TypeError(
        f"a batch holds a {type(value).__name__}; tensors, numbers, texts and their containers are recorded"
    )
