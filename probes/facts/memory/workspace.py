"""What kernels allocate within one operation, which no dispatch mode sees."""

from typing import Any

import torch

aten = torch.ops.aten


def workspace(func: Any, args: Any, output: Any, gpu: bool) -> int:
    """Bytes beside inputs and outputs that live while one operation runs."""
    if func is aten.native_layer_norm.default:
        return _contiguous_copies(args[0])
    if func is aten.native_layer_norm_backward.default:
        return _contiguous_copies(*args[:2])
    return 0 if gpu else _convolution(func, args, output)


def _contiguous_copies(*tensors: torch.Tensor) -> int:
    return sum(tensor.nbytes for tensor in tensors if not tensor.is_contiguous())


def _convolution(func: Any, args: Any, output: Any) -> int:
    """On a CPU oneDNN copies to another layout; read from the allocator's records of torch 2.13.

    Forward, a copy of the input ends before a second output begins; backward, a copy of the input and of the larger
    of input and output live at the same time.
    """
    if func is aten.convolution.default:
        return max(args[0].nbytes, output.nbytes)
    if func is aten.convolution_backward.default:
        gradient, read = args[0].nbytes, args[1].nbytes
        return read * bool(args[-1][0]) + max(read, gradient)
    return 0
