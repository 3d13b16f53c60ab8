"""Which operations autocast lowers on a GPU, and how to make a CPU follow the same list with its own half kernels.

Names and lists are those of torch's own header (ATen/autocast_mode.h); which of them are in force is asked of torch.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch

from probes.facts.core.torch_ops import iter_leaves, map_leaves

CPU, GPU = "AutocastCPU", "AutocastCUDA"
# Lowered on a GPU; the other operations of its list are widened to float32 or, the last ones, to their widest input.
LOWERED_WORDS = (
    "_convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution "
    "cudnn_convolution cudnn_convolution_transpose prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear "
    "addbmm baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell gru_cell "
    "rnn_tanh_cell rnn_relu_cell _scaled_dot_product_flash_attention scaled_dot_product_attention"
)
PROMOTED_WORDS = "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add"
LOWERED, PROMOTED = frozenset(LOWERED_WORDS.split()), frozenset(PROMOTED_WORDS.split())
REFUSED = frozenset({"binary_cross_entropy"})  # raises under autocast on a GPU


@contextmanager
def gpu_rules() -> Iterator[None]:
    """Inside, `torch.autocast("cpu")` casts as autocast on a GPU does; the arithmetic is the CPU's."""
    library = torch.library.Library("aten", "IMPL")
    try:
        with warnings.catch_warnings():  # torch says once that a kernel takes another's place
            warnings.simplefilter("ignore")
            for name in _listed(GPU) - {name for name in _listed(CPU) & _listed(GPU) if _same(name)}:
                library.impl(name, _kernel(name), CPU)
            for name in _listed(CPU) - _listed(GPU):
                library.impl(name, torch.library.fallthrough_kernel, CPU)
        yield
    finally:
        library._destroy()


@contextmanager
def one_type(dtype: torch.dtype | None) -> Iterator[None]:
    """Inside, an autocast that the model or the loss function enters of its own is of this type, or off."""
    original = torch.autocast.__enter__

    def enter(context: Any) -> Any:
        entered = original(context)
        if context._enabled:
            torch.set_autocast_enabled(context.device, dtype is not None)
            torch.set_autocast_dtype(context.device, dtype or context.fast_dtype)
        return entered

    torch.autocast.__enter__ = enter  # type: ignore[method-assign]
    try:
        yield
    finally:
        torch.autocast.__enter__ = original  # type: ignore[method-assign]


@cache
def _listed(key: str) -> frozenset[str]:
    """Names with overload, as torch has registered them for autocast on this kind of device."""
    names = torch._C._dispatch_get_all_op_names()
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return frozenset(name.removeprefix("aten::") for name in names if name.startswith("aten::") and has(name, key))


def _same(name: str) -> bool:
    """In both lists under one policy, as all are but those that a GPU promotes or refuses."""
    return name.partition(".")[0] not in PROMOTED | REFUSED


def _kernel(name: str) -> Callable[..., Any]:
    base, _, overload = name.partition(".")
    operation = getattr(getattr(torch.ops.aten, base), overload or "default")

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if base in REFUSED:
            raise RuntimeError(f"{base} is not allowed under CUDA autocast: use binary_cross_entropy_with_logits")
        off = torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU))
        with off:
            return operation(*_cast(args, _target(base, args, kwargs)), **_cast(kwargs, _target(base, args, kwargs)))

    return kernel


def _target(base: str, args: Any, kwargs: Any) -> torch.dtype | None:
    """The dtype that the operation's tensors are cast to; None if they stay, since a dtype was passed."""
    if base in LOWERED:
        return torch.get_autocast_dtype("cpu")
    if base in PROMOTED:
        kinds = {tensor.dtype for tensor in iter_leaves((args, kwargs)) if _is_castable(tensor)}
        return torch.float32 if torch.float32 in kinds else None
    has_dtype = any(isinstance(value, torch.dtype) for value in (*args, *kwargs.values()))
    return None if has_dtype else torch.float32


def _is_castable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.dtype is not torch.float64


def _cast(value: Any, dtype: torch.dtype | None) -> Any:
    return map_leaves(value, lambda leaf: leaf.to(dtype) if dtype is not None and _is_castable(leaf) else leaf)
