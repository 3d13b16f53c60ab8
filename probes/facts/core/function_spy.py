"""Watches the torch functions that a pass calls; their results stay as they are."""

from typing import Any

from torch.overrides import TorchFunctionMode


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
