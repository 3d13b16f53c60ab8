"""Is every element finite? A finite sum proves it with one read; only another sum needs the exact check."""

from math import isfinite

import torch

# Their range is so wide that a sum seldom overflows.
SUMMED = frozenset({torch.float32, torch.bfloat16, torch.float64})
# In half precision 65504 is soon reached by a long positive tensor. Its smallest and largest element cost two reads at
# the most; a long one is cheaper summed in pieces, in which the elements may be 16 on average.
LONG = 2**18
PIECE = 4096


def is_finite(tensor: torch.Tensor) -> bool:
    """NaN and Inf absorb any addition, so a finite sum has neither; finite values may still overflow a sum."""
    if tensor.dtype in SUMMED and isfinite(tensor.sum().item()):
        return True
    long = tensor.dtype is torch.float16 and tensor.numel() >= LONG and tensor.is_contiguous()
    return (long and _sums_are_finite(tensor.view(-1))) or _is_finite_exactly(tensor)


def _sums_are_finite(flat: torch.Tensor) -> bool:
    whole = flat.numel() // PIECE * PIECE
    sums = flat[:whole].view(-1, PIECE).sum(-1)
    return _is_finite_exactly(sums) and isfinite(flat[whole:].sum().item())


def bad_counts(tensor: torch.Tensor) -> tuple[int, int]:
    """How many elements are NaN and how many infinite, counted only where there is something to count."""
    if is_finite(tensor):
        return 0, 0
    return int(torch.isnan(tensor).sum()), int(torch.isinf(tensor).sum())


def _is_finite_exactly(tensor: torch.Tensor) -> bool:
    """The extremes: each of them is NaN where any element is."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor.resolve_conj())
    if not tensor.is_floating_point() or not tensor.numel():
        return True
    if tensor.dtype.itemsize == 1:  # eight bits have no kernels of their own
        tensor = tensor.half()
    low, high = torch.aminmax(tensor)
    return isfinite(low.item()) and isfinite(high.item())
