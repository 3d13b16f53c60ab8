"""What a training loop calls: autocast, backward, step and zero_grad, told to a listener as they happen."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from probes.facts.core.hooks import removed_afterwards

AUTOCAST, BACKWARD, STEP, STEPPED, CLEAR, CLEARED = "autocast", "backward", "step", "stepped", "clear", "cleared"
Listener = Callable[[str, Any], None]  # the event, and the loss, optimizer, module or context that it happens to


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Every event of this process, until it is left; then nothing is patched."""
    with ExitStack() as stack:
        for holder in (torch.nn.Module, Optimizer):
            stack.enter_context(around(holder, "zero_grad", listener, CLEAR, CLEARED))
        stack.enter_context(around(torch.Tensor, "backward", listener, BACKWARD))
        stack.enter_context(around(torch.autocast, "__enter__", listener, AUTOCAST))
        stack.enter_context(removed_afterwards(_hooks(listener)))
        yield


def _hooks(listener: Listener) -> Iterator[Any]:
    yield register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: listener(STEP, optimizer))
    yield register_optimizer_step_post_hook(lambda optimizer, args, kwargs: listener(STEPPED, optimizer))


@contextmanager
def around(holder: type, name: str, listener: Listener, before: str, after: str = "") -> Iterator[None]:
    usual = vars(holder)[name]

    @wraps(usual)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        listener(before, self)
        result = usual(self, *args, **kwargs)
        if after:
            listener(after, self)
        return result

    setattr(holder, name, called)
    try:
        yield
    finally:
        setattr(holder, name, usual)


@contextmanager
def without_effect(*methods: tuple[type, str]) -> Iterator[None]:
    """While it is open, these methods do nothing and return their object."""
    usual = [(holder, name, vars(holder)[name]) for holder, name in methods]
    for holder, name, _ in usual:
        setattr(holder, name, lambda self, *_, **__: self)
    try:
        yield
    finally:
        for holder, name, method in usual:
            setattr(holder, name, method)
