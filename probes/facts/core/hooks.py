"""Forward hooks on the modules of a model, removed when their context ends."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Self

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle


@contextmanager
def removed_afterwards(handles: Iterable[RemovableHandle]) -> Iterator[None]:
    """Takes the handles one by one, so that those made before an error come off too."""
    with ExitStack() as stack:
        for handle in handles:
            stack.callback(handle.remove)
        yield


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
