"""Remembers the first few steps of what each module puts out, and names the first that puts out something else."""

from typing import Any, Self

import torch

STEPS = 4  # at the beginning of a row, far from where its padding starts
SAME = 1e-2  # of the values' spread: ten times what TF32 rounds; padding that gets in moves far more


class DivergenceHooks:
    """Hooks on all modules; a few kilobytes each. Inner modules are done before the outer ones."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model
        self.output: Any = None
        self.parted: tuple[str, str] = ("", "")
        self._row: int | None = None
        self._kept: dict[str, tuple[torch.Size, list[torch.Tensor]]] = {}
        self._handles: list[Any] = []

    def __enter__(self) -> Self:
        self._handles.append(self.model.register_forward_hook(self._see))
        for name, module in self.model.named_modules():
            if name:
                self._handles.append(module.register_forward_hook(self._looking(name)))
        return self

    def __exit__(self, *error: Any) -> None:
        for handle in self._handles:
            handle.remove()

    def compare(self, row: int) -> None:
        """From now on outputs are compared with the ones before; the row may stand elsewhere in its batch."""
        self._row = row
        self._seen: set[str] = set()

    def _see(self, module: Any, given: Any, output: Any) -> None:
        self.output = output

    def _looking(self, name: str) -> Any:
        def look(module: torch.nn.Module, given: Any, output: Any) -> None:
            first = output[0] if isinstance(output, tuple) and output else output
            if isinstance(first, torch.Tensor) and first.is_floating_point() and first.dim() > 2:
                self._keep(name, first) if self._row is None else self._compare(name, module, first)

        return look

    def _keep(self, name: str, output: torch.Tensor) -> None:
        if name not in self._kept:
            first = [output[0].narrow(axis, 0, min(STEPS, size)).clone() for axis, size in enumerate(output.shape[1:])]
            self._kept[name] = (output.shape[1:], first)

    def _compare(self, name: str, module: torch.nn.Module, output: torch.Tensor) -> None:
        if self.parted[0] or name in self._seen or name not in self._kept or self._row is None:
            return
        self._seen.add(name)
        shape, kept = self._kept[name]
        if len(shape) != output.dim() - 1 or self._row >= len(output):
            return
        sides = [axis for axis, size in enumerate(shape) if size != output.shape[axis + 1]]
        if len(sides) != 1:
            return
        axis = sides[0]
        now = output[self._row].narrow(axis, 0, min(kept[axis].shape[axis], output.shape[axis + 1]))
        if now.shape == kept[axis].shape and self._far(kept[axis].float(), now.float()):
            self.parted = (name, type(module).__name__)

    def _far(self, before: torch.Tensor, now: torch.Tensor) -> bool:
        return float((now - before).abs().max()) > SAME * float(before.std(correction=0) + 1e-12)
