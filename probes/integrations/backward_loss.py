"""The loss of a function that also calls backward: the function is left at that call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch


class LossReached(BaseException):
    """Carries the loss out of the function; no `except Exception` of a training loop catches it."""

    def __init__(self, loss: Any) -> None:
        super().__init__()
        self.loss = loss


def loss_at_backward(run: Callable[[], Any]) -> Any:
    """What the function first calls backward on, before a gradient scaler; else what it returns."""
    try:
        with _leave_at_backward():
            return run()
    except LossReached as reached:
        return reached.loss


@contextmanager
def _leave_at_backward() -> Iterator[None]:
    scaler = torch.amp.GradScaler
    usual = torch.Tensor.backward, torch.autograd.backward, scaler.scale

    def leave(tensors: Any, *_: Any, **__: Any) -> None:
        raise LossReached(tensors if isinstance(tensors, torch.Tensor) else sum(one.sum() for one in tensors))

    def scale(self: Any, outputs: Any) -> Any:
        return leave(outputs) if isinstance(outputs, torch.Tensor) else usual[2](self, outputs)

    torch.Tensor.backward, torch.autograd.backward, scaler.scale = leave, leave, scale  # type: ignore[assignment,method-assign]
    try:
        yield
    finally:
        torch.Tensor.backward, torch.autograd.backward, scaler.scale = usual  # type: ignore[method-assign]
