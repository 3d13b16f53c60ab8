"""Healthy facts to start from: `healthy("whisper")` is a tiny, real subject in which no probe finds anything."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

NAMES = ("whisper", "e2e", "hybrid", "mt5", "classifier")


def healthy(name: str, seed: int = 0) -> dict[str, Any]:
    """The facts of one subject, fresh at every call, the same for the same seed: breaking them breaks nobody else's."""
    from probes.facts.core.observer import restore_entries

    if name not in NAMES:
        raise ValueError(f"there is no healthy subject {name!r}: choose one of {', '.join(NAMES)}")
    build = getattr(import_module(f"probes.subjects.{name}"), name)
    with restore_entries():
        import torch

        torch.manual_seed(seed)
        facts = build() | {"rank_facts": partial(_rank, build, seed)}
        return {fact: value for fact, value in facts.items() if value is not None}


def _rank(build: Callable[[], dict[str, Any]], seed: int, rank: int, processes: int) -> dict[str, Any]:
    """One process of several; called inside its group."""
    from probes.subjects.ranks import rank_of

    return rank_of(build, seed, rank, processes)
