"""Hears a forward pass: what each activation makes of the batch, and every number that may be a part of the loss."""

import sys
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from probes.facts.gradients.attention_peaks import DECIDED, peaked_share, peaked_share_sdpa, share
from probes.facts.gradients.types import ActivationStats

RECTIFIERS = ("relu", "relu_", "relu6", "gelu", "silu")
SQUASHERS = ("tanh", "tanh_", "sigmoid", "sigmoid_")
# Slopes and shares below it are nought beside what else adds up to a gradient in float32 (23 bits).
NOTHING = 1e-6
LOOKS = ("__get__", "detach", "item", "float", "clone")  # no results of their own


class ActivationSpy(TorchFunctionMode):
    """Listens to the functions that torch is called with; the results are left as they are."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.names = {id(module): (name, module) for name, module in model.named_modules()}
        self.deaf = any(_compiled(module) for module in model.modules())  # it would be compiled anew, to be heard
        self.numbers: list[tuple[str, Tensor]] = []
        self.heard: dict[tuple[str, str], ActivationStats] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        given = args[0] if args and isinstance(args[0], Tensor) else None
        scale = float(given.detach().abs().max()) if name in RECTIFIERS and given is not None and given.numel() else 0.0
        result = func(*args, **kwargs)
        if isinstance(result, Tensor) and result.is_floating_point() and name not in LOOKS:
            if result.numel() == 1:
                self.numbers.append((name, result))
            elif result.dim() > 1 and result.requires_grad:
                self._hear(name, result, scale, args, kwargs)
        return result

    def _hear(self, name: str, result: Tensor, scale: float, args: Any, kwargs: Any) -> None:
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

    def _add(self, function: str, values: Tensor, place: tuple[str, str] | None = None, **told: Any) -> None:
        """The best of its calls counts: an activation that several layers share may rest in one of them."""
        module, kind = place or self._place()
        new = ActivationStats(module, kind, function.rstrip("_"), values.numel(), **told)
        old = self.heard.get((module, new.function))
        if old:
            new = replace(
                new,
                size=max(old.size, new.size),
                alive=max(old.alive, new.alive),
                flat=min(old.flat, new.flat),
                decided=min(old.decided, new.decided),
                times=old.times + 1,
            )
        self.heard[module, new.function] = new

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

    def __enter__(self) -> "ActivationSpy":
        if self.deaf:
            return self
        super().__enter__()
        made = [module for _, module in self.names.values() if type(module).__module__ == "transformers.activations"]
        self.handles = [module.register_forward_hook(self._made) for module in made]
        return self

    def __exit__(self, *error: Any) -> None:
        if self.deaf:
            return
        for handle in self.handles:
            handle.remove()
        super().__exit__(*error)

    def _made(self, module: torch.nn.Module, given: Any, result: Any) -> None:
        """An activation that is written out in other functions, as gelu_new is; those with a floor below 0 are not."""
        if isinstance(result, Tensor) and result.requires_grad and result.dim() > 1:
            low = float(module.__class__.forward(module, torch.tensor(-20.0)))
            scale = float(given[0].detach().abs().max()) if result.numel() else 0.0
            if abs(low) < NOTHING and scale:
                name, kind = self.names[id(module)][0], type(module).__name__
                self._add(kind, result.detach(), (name, kind), alive=share(result.detach().abs() > NOTHING * scale))

    def activations(self) -> tuple[ActivationStats, ...]:
        bare = {name or "the model itself" for name, module in self.names.values() if _composed(module)}
        squashed = tuple(name.rstrip("_") for name in SQUASHERS)
        return tuple(
            one for one in self.heard.values() if one.module and not (one.function in squashed and one.module in bare)
        )


def _compiled(module: torch.nn.Module) -> bool:
    return type(module).__name__ == "OptimizedModule" or vars(module).get("_compiled_call_impl") is not None


def _composed(module: torch.nn.Module) -> bool:
    plain = isinstance(module, torch.nn.Tanh | torch.nn.Sigmoid)
    return not plain and next(module.parameters(), None) is None
