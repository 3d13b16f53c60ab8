"""A digest of anything in a batch: the same for values that are the same, bit for bit."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import torch

PLAIN = str | int | float | bool | bytes | None


def digest_of(value: Any, unknown: Callable[[Any], str] = lambda value: "?") -> str:
    """`unknown` stands for objects that are neither numbers nor text: their repr may hold an address."""
    found = hashlib.blake2b(digest_size=8)
    _feed(found, value, unknown)
    return found.hexdigest()


def _feed(found: Any, value: Any, unknown: Callable[[Any], str]) -> None:
    if isinstance(value, torch.Tensor):
        found.update(f"{value.dtype}{tuple(value.shape)}".encode())
        found.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    elif isinstance(value, Mapping):
        for name in sorted(value, key=str):
            found.update(str(name).encode())
            _feed(found, value[name], unknown)
    elif isinstance(value, list | tuple):
        for one in value:
            _feed(found, one, unknown)
    elif hasattr(value, "tobytes"):
        found.update(value.tobytes())
    else:
        found.update((repr(value) if isinstance(value, PLAIN) else unknown(value)).encode())
