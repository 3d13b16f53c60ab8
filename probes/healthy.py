"""Healthy facts to start from: `healthy("whisper")` is a tiny, real subject in which no probe finds anything."""

from importlib import import_module
from typing import Any

NAMES = ("whisper", "e2e", "hybrid", "mt5", "classifier")


def healthy(name: str, seed: int = 0) -> dict[str, Any]:
    """The facts of one subject, fresh at every call, the same for the same seed: breaking them breaks nobody else's."""
    from probes.instruments.observer import entries_kept

    if name not in NAMES:
        raise ValueError(f"there is no healthy subject {name!r}: choose one of {', '.join(NAMES)}")
    build = getattr(import_module(f"probes.instruments.subjects.{name}"), name)
    with entries_kept():
        import torch

        torch.manual_seed(seed)
        return {fact: value for fact, value in build().items() if value is not None}
