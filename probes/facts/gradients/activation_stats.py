"""Measures the activations of a forward pass, and records every number that may be a term of the loss."""

import sys
from dataclasses import replace
from typing import Any, Self

import torch
from torch import Tensor

from probes.facts.core.hooks import FunctionSpy, removed_afterwards
from probes.facts.gradients.attention_peaks import DECIDED, peaked_share, peaked_share_sdpa, share
from probes.facts.gradients.types import ActivationStats

RECTIFIERS = ("relu", "relu_", "relu6", "gelu", "silu")
SQUASHERS = ("tanh", "tanh_", "sigmoid", "sigmoid_")
# Slopes and shares below it are nought beside what else adds up to a gradient in float32 (23 bits).
NOTHING = 1e-6
LOOKS = ("__get__", "detach", "item", "float", "clone")  # no results of their own


class ActivationSpy(FunctionSpy):
    """`found` has the activations by module and function, `numbers` every result with one element."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.names = {id(module): (name, module) for name, module in model.named_modules()}
        self.compiled = any(map(_compiled, model.modules()))  # it would be compiled anew, to be recorded
        self.numbers: list[tuple[str, Tensor]] = []
        self.found: dict[tuple[str, str], ActivationStats] = {}

    def before_call(self, name: str, args: Any, kwargs: Any) -> None:
        """The size of what goes in: the call may change it in place."""
        known = name in RECTIFIERS and args and isinstance(args[0], Tensor) and args[0].numel()
        self._scale = float(args[0].detach().abs().max()) if known else 0.0

    def after_call(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        if isinstance(result, Tensor) and result.is_floating_point() and name not in LOOKS:
            if result.numel() == 1:
                self.numbers.append((name, result))
            elif result.dim() > 1 and result.requires_grad:
                self._measure(name, result, self._scale, args, kwargs)

    def _measure(self, name: str, result: Tensor, scale: float, args: Any, kwargs: Any) -> None:
        values = result.detach()
        if name in RECTIFIERS and scale:
            self._add(name, values, alive=share(values.abs() > NOTHING * scale))
        elif name in SQUASHERS:
            slope = 1 - values.square() if name.startswith("tanh") else values * (1 - values)
            self._add(name, values, flat=share(slope < NOTHING))
        elif name == "softmax" and values.dim() == 4 and values.shape[-1] > 1:
            self._add(name, values, decided=max(share(values.amax(-1) > DECIDED), peaked_share(args[0].detach())))
        elif name == "scaled_dot_product_attention" and args[1].shape[-2] > 1:
            self._add(name, values, decided=peaked_share_sdpa(*args, **kwargs))

    def _add(self, function: str, values: Tensor, place: tuple[str, str] | None = None, **stats: Any) -> None:
        """The best of its calls counts: an activation that several layers share may rest in one of them."""
        module, kind = place or self._place()
        new = ActivationStats(module, kind, function.rstrip("_"), values.numel(), **stats)
        old = self.found.get((module, new.function))
        if old:
            new = replace(
                new,
                size=max(old.size, new.size),
                alive=max(old.alive, new.alive),
                flat=min(old.flat, new.flat),
                decided=min(old.decided, new.decided),
                times=old.times + 1,
            )
        self.found[module, new.function] = new

    def _place(self) -> tuple[str, str]:
        """The innermost module that is running. One without parts of its own that is no plain tanh or sigmoid uses
        them to build another activation, in which flat ends are meant."""
        frame = sys._getframe(1)
        while frame is not None and id(frame.f_locals.get("self")) not in self.names:
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None:
            return "", ""
        name, module = self.names[id(frame.f_locals["self"])]
        return name or "the model itself", type(module).__name__

    def __enter__(self) -> Self:
        if not self.compiled:
            super().__enter__()
            modules = [one for _, one in self.names.values() if type(one).__module__ == "transformers.activations"]
            self._hooks = removed_afterwards(one.register_forward_hook(self._on_activation) for one in modules)
            self._hooks.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if not self.compiled:
            self._hooks.__exit__(*error)
            super().__exit__(*error)

    def _on_activation(self, module: torch.nn.Module, args: Any, result: Any) -> None:
        """An activation that is written out in other functions, as gelu_new is; those with a floor below 0 are not."""
        if isinstance(result, Tensor) and result.requires_grad and result.dim() > 1:
            low = float(module.__class__.forward(module, torch.tensor(-20.0)))
            scale = float(args[0].detach().abs().max()) if result.numel() else 0.0
            if abs(low) < NOTHING and scale:
                name, kind = self.names[id(module)][0], type(module).__name__
                self._add(kind, result.detach(), (name, kind), alive=share(result.detach().abs() > NOTHING * scale))

    def activations(self) -> tuple[ActivationStats, ...]:
        bare = {name or "the model itself" for name, module in self.names.values() if _composed(module)}
        squashed = tuple(name.rstrip("_") for name in SQUASHERS)
        return tuple(
            one for one in self.found.values() if one.module and not (one.function in squashed and one.module in bare)
        )


def _compiled(module: torch.nn.Module) -> bool:
    return type(module).__name__ == "OptimizedModule" or vars(module).get("_compiled_call_impl") is not None


def _composed(module: torch.nn.Module) -> bool:
    plain = isinstance(module, torch.nn.Tanh | torch.nn.Sigmoid)
    return not plain and next(module.parameters(), None) is None
