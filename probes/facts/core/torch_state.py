"""Torch's global flags, saved and restored."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from diagnose.common.rng import Restore


def torch_flags() -> list[tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """Every global flag that changes what a step computes, as a pair of reader and writer."""
    pairs: list[tuple[Callable[[], Any], Callable[[Any], Any]]] = [
        (torch.is_grad_enabled, torch._C._set_grad_enabled),
        (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
        (_autocast_depth, _to_autocast_depth),
        (torch.get_default_dtype, torch.set_default_dtype),
        (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
        (torch.get_num_threads, torch.set_num_threads),
        (_deterministic, lambda flags: torch.use_deterministic_algorithms(flags[0], warn_only=flags[1])),
        (_anomaly, lambda flags: torch.autograd.set_detect_anomaly(*flags)),
    ]
    for device in ("cpu", "cuda"):
        pairs.append((partial(torch.is_autocast_enabled, device), partial(torch.set_autocast_enabled, device)))
        pairs.append((partial(torch.get_autocast_dtype, device), partial(torch.set_autocast_dtype, device)))
    for name in ("enabled", "benchmark", "deterministic"):
        pairs.append((partial(getattr, torch.backends.cudnn, name), partial(setattr, torch.backends.cudnn, name)))
    return pairs


def _autocast_depth() -> int:
    torch.autocast_increment_nesting()
    return torch.autocast_decrement_nesting()


def _to_autocast_depth(depth: int) -> None:
    """While one autocast is open, later ones keep the first casts of the weights: every update would be missed."""
    while _autocast_depth() > depth:
        torch.autocast_decrement_nesting()
    while _autocast_depth() < depth:
        torch.autocast_increment_nesting()
    torch.clear_autocast_cache()


def _deterministic() -> tuple[bool, bool]:
    return torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()


def _anomaly() -> tuple[bool, bool]:
    return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


def save_torch_flags() -> Restore:
    before = [(read, write, read()) for read, write in torch_flags()]

    def restore() -> None:
        for read, write, value in before:
            if read() != value:
                write(value)

    return restore
