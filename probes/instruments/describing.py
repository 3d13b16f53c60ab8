"""A tensor in numbers."""

import torch

from probes.measured.origin import Values


def describe(tensor: torch.Tensor, role: str) -> Values:
    """Shape, dtype, device, range of the finite elements (of a complex tensor: of magnitudes), shares of the others."""
    detached = tensor.detach()
    plain = detached.abs() if detached.is_complex() else detached
    numbers = plain.float() if plain.is_floating_point() else plain
    good = torch.isfinite(numbers) if numbers.is_floating_point() else None
    finite = numbers if good is None else numbers[good]
    low, high = (float(bound) for bound in torch.aminmax(finite)) if finite.numel() else (None, None)
    size = max(detached.numel(), 1)
    return Values(
        role=role,
        shape=tuple(detached.shape),
        dtype=str(detached.dtype).removeprefix("torch."),
        device=str(detached.device),
        minimum=low,
        maximum=high,
        nan=0.0 if good is None else float(torch.isnan(numbers).sum()) / size,
        infinite=0.0 if good is None else float(torch.isinf(numbers).sum()) / size,
    )
