"""A 16-bit pass on any device: operations without a 16-bit kernel, and random ones, are computed in float32."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from probes.facts.core.torch_ops import iter_leaves, map_leaves, name_of, writes, written_tensors

NARROW = (torch.float16, torch.bfloat16)


class Fp32Fallback(TorchDispatchMode):
    """`ops` names the operations that have no kernel for 16 bits here; random numbers are drawn in float32."""

    def __init__(self) -> None:
        super().__init__()
        self.ops: dict[str, None] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        narrow = _narrow_dtype((args, kwargs))
        is_random = torch.Tag.nondeterministic_seeded in func.tags and len(func._schema.returns) == 1  # no attention
        if narrow is not None and is_random:
            return _compute_wide(func, args, kwargs, narrow)
        try:
            return func(*args, **kwargs)
        except RuntimeError:  # also NotImplementedError
            if narrow is None or _has_mixed_dtypes((args, kwargs)):
                raise
            self.ops[name_of(func)] = None
            return _compute_wide(func, args, kwargs, narrow)


def _narrow_dtype(value: Any) -> torch.dtype | None:
    """The 16-bit dtype among tensors and dtype arguments."""
    kinds = [*(tensor.dtype for tensor in iter_leaves(value)), *iter_leaves(value, torch.dtype)]
    return next((kind for kind in kinds if kind in NARROW), None)


def _has_mixed_dtypes(value: Any) -> bool:
    """Types that do not go together are an error of the model's, whatever kernels there are."""
    return any(tensor.dtype is torch.float32 and tensor.dim() for tensor in iter_leaves(value))


def _compute_wide(func: Any, args: Any, kwargs: Any, narrow: torch.dtype) -> Any:
    wide_args, wide_kwargs = _as(args, NARROW, torch.float32), _as(kwargs, NARROW, torch.float32)
    output = func(*wide_args, **wide_kwargs)
    if not writes(func):
        return _as(output, (torch.float32,), narrow)
    written = list(iter_leaves(list(written_tensors(func, args, kwargs, ()))))
    for tensor, wide in zip(written, iter_leaves(list(written_tensors(func, wide_args, wide_kwargs, ()))), strict=True):
        tensor.copy_(wide)
    return written[0] if len(written) == 1 else written


def _as(value: Any, kinds: tuple[torch.dtype, ...], dtype: torch.dtype) -> Any:
    def cast(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return leaf.to(dtype) if leaf.dtype in kinds else leaf
        return dtype if isinstance(leaf, torch.dtype) and leaf in kinds else leaf

    return map_leaves(value, cast)
