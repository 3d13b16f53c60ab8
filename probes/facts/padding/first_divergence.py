"""Finds the first module whose output for the first few time steps differs between two passes."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from probes.facts.core.output_hook import OutputHook

STEPS = 4  # at the beginning of a row, far from where its padding starts
SAME = 1e-2  # of the values' spread: ten times what TF32 rounds; padding that gets in moves far more


class DivergenceHooks(OutputHook):
    """Hooks on all modules; a few kilobytes each. Inner modules end before the outer ones."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__(model)
        self.diverged: tuple[str, str] = ("", "")
        self._row: int | None = None
        self._first: dict[str, tuple[torch.Size, list[torch.Tensor]]] = {}
        self._compared: set[str] = set()

    def handles(self) -> Iterator[RemovableHandle]:
        yield from super().handles()
        for name, module in self.model.named_modules():
            if name:
                yield module.register_forward_hook(partial(self._on_module, name))

    def compare(self, row: int) -> None:
        """From now on outputs are compared with the ones before; the row may stand elsewhere in its batch."""
        self._row = row

    def _on_module(self, name: str, module: torch.nn.Module, args: Any, output: Any) -> None:
        first = output[0] if isinstance(output, tuple) and output else output
        dense = isinstance(first, torch.Tensor) and not first.is_nested  # TransformerEncoder packs its rows inside
        if dense and first.is_floating_point() and first.dim() > 2:
            self._keep(name, first) if self._row is None else self._compare(name, module, first)

    def _keep(self, name: str, output: torch.Tensor) -> None:
        if name not in self._first:
            first = [output[0].narrow(axis, 0, min(STEPS, size)).clone() for axis, size in enumerate(output.shape[1:])]
            self._first[name] = (output.shape[1:], first)

    def _compare(self, name: str, module: torch.nn.Module, output: torch.Tensor) -> None:
        if self.diverged[0] or name in self._compared or name not in self._first or self._row is None:
            return
        self._compared.add(name)
        shape, first = self._first[name]
        if len(shape) != output.dim() - 1 or self._row >= len(output):
            return
        sides = [axis for axis, size in enumerate(shape) if size != output.shape[axis + 1]]
        if len(sides) != 1:
            return
        axis = sides[0]
        now = output[self._row].narrow(axis, 0, min(first[axis].shape[axis], output.shape[axis + 1]))
        before = first[axis].float()
        if now.shape == before.shape and float((now.float() - before).abs().max()) > SAME * float(
            before.std(correction=0) + 1e-12
        ):
            self.diverged = (name, type(module).__name__)
