"""Operations on fake tensors whose output has a size that only values tell; and what kernels allocate within one."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

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
        return _contiguous_copies(args[0]) + max(args[0].nbytes, output.nbytes)
    if func is aten.convolution_backward.default:
        gradient, read = args[0].nbytes, args[1].nbytes
        return _contiguous_copies(*args[:2]) + read * bool(args[-1][0]) + max(read, gradient)
    return 0


Rule = Callable[..., Any]


def _ctc_loss(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *_: Any) -> Any:
    """The loss of each row, and the table that the backward pass needs."""
    frames, rows = log_probs.shape[0], log_probs.shape[1] if log_probs.dim() == 3 else 1
    with unset_fake_temporarily():
        states = 2 * int(torch.as_tensor(target_lengths).max()) + 1
    return log_probs.new_empty(rows), log_probs.new_empty(rows, frames, states)


def _ctc_loss_backward(gradient: Any, log_probs: Any, *_: Any) -> Any:
    return torch.empty_like(log_probs)


def _masked_select(values: Any, mask: Any) -> Any:
    with unset_fake_temporarily():
        count = int(mask.sum())
    return values.new_empty(count)


def _number(value: Any) -> Any:
    """Such as a test for Inf: the values are unknown, and those of a healthy step are finite."""
    return torch.zeros((), dtype=value.dtype).item()


RULES: Mapping[Any, Rule] = {
    aten._ctc_loss.default: _ctc_loss,
    aten._ctc_loss.Tensor: _ctc_loss,
    aten._ctc_loss_backward.default: _ctc_loss_backward,
    aten._ctc_loss_backward.Tensor: _ctc_loss_backward,
    aten.masked_select.default: _masked_select,
    aten._local_scalar_dense.default: _number,
    aten.equal.default: lambda *_: False,
}
INDEXED = {aten.index.Tensor, aten.index_put.default, aten.index_put_.default, aten._unsafe_index_put.default}


def rule_for(func: Any) -> Rule | None:
    """What takes an operation's place on fake tensors."""
    return RULES.get(func)


def with_known_places(func: Any, args: Any) -> Any:
    """The arguments of an indexing operation, with a real mask as the places where it is true."""
    if func not in INDEXED:
        return args
    places: list[Any] = []
    with unset_fake_temporarily():
        for index in args[1]:
            is_mask = type(index) is torch.Tensor and index.dtype is torch.bool
            places += list(index.nonzero(as_tuple=True)) if is_mask else [index]
    return (args[0], places, *args[2:])
