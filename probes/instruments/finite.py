"""Is every element finite? A finite sum proves it at the price of one read; only another sum needs the exact look."""

import torch


def is_finite(tensor: torch.Tensor) -> bool:
    """NaN and Inf absorb any addition, so a finite sum has neither; finite values may still overflow a sum."""
    if not (tensor.is_floating_point() or tensor.is_complex()) or not tensor.numel():
        return True
    return bool(torch.isfinite(tensor.sum())) or bool(torch.isfinite(tensor).all())


def bad_counts(tensor: torch.Tensor) -> tuple[int, int]:
    """How many elements are NaN and how many infinite, counted only where there is something to count."""
    if is_finite(tensor):
        return 0, 0
    return int(torch.isnan(tensor).sum()), int(torch.isinf(tensor).sum())
