"""Modules that stay in float32 under autocast. Imports only torch, so that it can be pasted anywhere."""

from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

import torch


class Fp32Hooks:
    """Hooks of one module: autocast is off inside, and 16-bit inputs are cast to float32."""

    def __init__(self) -> None:
        self.contexts: list[Any] = []

    def enter(self, module: torch.nn.Module, args: Any, kwargs: Any) -> Any:
        values = [*args, *kwargs.values(), *module.parameters(recurse=False)]
        device = next((value.device.type for value in values if isinstance(value, torch.Tensor)), "cpu")
        context = torch.autocast(device, enabled=False)
        context.__enter__()
        self.contexts.append(context)
        return to_float32(args), to_float32(kwargs)

    def leave(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        if self.contexts:
            self.contexts.pop().__exit__(None, None, None)


def keep_fp32(model: torch.nn.Module, names: Sequence[str]) -> list[Any]:
    """Keep modules in float32, by name or pattern (`decoder.layers.*.fc2`); returns the hook handles."""
    modules = {name: module for name, module in model.named_modules() if name}
    handles: list[Any] = []
    for name in names:
        found = [module for known, module in modules.items() if fnmatchcase(known, name)]
        if not found:
            close = get_close_matches(name, modules, n=1, cutoff=0.5)
            raise ValueError(f"the model has no module {name!r}" + (f" (nearest: {close[0]})" if close else ""))
        handles += [handle for module in found for handle in wrap(module)]
    return handles


def wrap(module: torch.nn.Module) -> list[Any]:
    hooks, fp32 = module._forward_pre_hooks.values(), Fp32Hooks()
    if any(isinstance(getattr(hook, "__self__", None), Fp32Hooks) for hook in hooks):
        return []
    enter = module.register_forward_pre_hook(fp32.enter, prepend=True, with_kwargs=True)
    return [enter, module.register_forward_hook(fp32.leave, always_call=True)]


def to_float32(value: Any) -> Any:
    """16-bit tensors as float32, in plain containers too; anything else unchanged."""
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value
    if type(value) in (list, tuple):
        return type(value)(to_float32(item) for item in value)
    return {key: to_float32(item) for key, item in value.items()} if type(value) is dict else value
