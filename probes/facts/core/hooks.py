"""Forward hooks on the modules of a model, removed when their context ends."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple, Self

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle


class ModuleCall(NamedTuple):
    """Summaries of what went into a module and came out; the name of the model itself is ""."""

    name: str
    kind: str
    inputs: Any
    outputs: Any


@contextmanager
def removed_afterwards(handles: Iterable[RemovableHandle]) -> Iterator[None]:
    """Takes the handles one by one, so that those made before an error come off too."""
    with ExitStack() as stack:
        for handle in handles:
            stack.callback(handle.remove)
        yield


@contextmanager
def record_modules(model: torch.nn.Module, summarize: Callable[[Any], Any]) -> Iterator[list[ModuleCall]]:
    """Fills the list with one entry for every call of a module, in the order in which they end: inner ones first."""
    calls: list[ModuleCall] = []

    def note(name: str, module: torch.nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        calls.append(ModuleCall(name, type(module).__name__, summarize((args, kwargs)), summarize(output)))

    named = model.named_modules()
    with removed_afterwards(one.register_forward_hook(partial(note, name), with_kwargs=True) for name, one in named):
        yield calls


class ModuleHooks:
    """Base class: while it is open, the hooks of `handles` are on the model and `spies` are open too."""

    spies: tuple[AbstractContextManager[Any], ...] = ()

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model

    def handles(self) -> Iterator[RemovableHandle]:
        """Registers the hooks."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(removed_afterwards(self.handles()))
            for spy in self.spies:
                stack.enter_context(spy)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)


class FunctionSpy(TorchFunctionMode):
    """While it is open, `before_call` and `after_call` run around each torch function."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        self.before_call(name, args, kwargs)
        result = func(*args, **kwargs)
        self.after_call(name, args, kwargs, result)
        return result

    def before_call(self, name: str, args: Any, kwargs: Any) -> None:
        """For what the call may change in place."""

    def after_call(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        """For what it returned."""
