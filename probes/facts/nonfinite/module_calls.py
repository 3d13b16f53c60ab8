"""During a pass: the running module, its call number and the user's source line."""

import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from probes.facts.core.failure import MEASURING
from probes.facts.core.hooks import removed_afterwards
from probes.facts.core.torch_ops import describe, iter_leaves
from probes.facts.nonfinite.graph_annotations import CodeLocation, GraphAnnotator, annotate_nodes
from probes.facts.nonfinite.types import ModuleVisit

TORCH = str(Path(torch.__file__).parent)
DRIVER = "__drives_the_step__"  # a module that holds this name runs the pass: outside of it there is nothing to name
REMEMBERED = 8  # modules before the origin


class ModuleCallStack:
    """A stack of the model's running modules."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model
        self.names = {id(module): name or "the model itself" for name, module in model.named_modules()}
        self.stack: list[tuple[str, str, int]] = []
        self.counts: Counter[str] = Counter()
        self.repeated: Counter[str] = Counter()
        self.repeating = False  # in a backward pass, what is checkpointed runs again, the last call first
        self._marking: list[GraphAnnotator] = []
        self.last: deque[tuple[str, str, int, Any]] = deque(maxlen=REMEMBERED)

    def enter(self, module: torch.nn.Module, args: Any) -> None:
        annotate_nodes(args, self.place)  # no mode sees a torch.autograd.Function: its node has no mark yet
        name = self.names.get(id(module), "")
        self.stack.append((name, type(module).__name__, self._number(name)))
        if self.repeating:  # torch switches function modes off for a backward pass
            self._marking.append(GraphAnnotator(self.place))
            self._marking[-1].__enter__()

    def leave(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        annotate_nodes(output, self.place)
        if self._marking:
            self._marking.pop().__exit__(None, None, None)
        name, kind, call = self.stack.pop()
        if name and not any(True for _ in module.children()):
            tensors = [*(("input", t) for t in iter_leaves(args)), *(("output", t) for t in iter_leaves(output))]
            weights = [(f"weight {key}", value.detach()) for key, value in module.named_parameters(recurse=False)]
            self.last.append((name, kind, call, [(role, t.detach()) for role, t in tensors] + weights))

    def _number(self, name: str) -> int:
        """The number of this call of the module, or of the call that it repeats."""
        if self.repeating:
            self.repeated[name] += 1
            return max(1, self.counts[name] - self.repeated[name] + 1)
        self.counts[name] += 1
        return self.counts[name]

    def place(self) -> CodeLocation:
        """Of what is being computed now."""
        frames = list(_frames())
        last = frames[-1]
        line = f"{last.f_code.co_filename}:{last.f_lineno}" if _is_user_code(last) else ""
        running = [entry for entry in self.stack if entry[0]]
        name, kind, call = running[-1] if running else ("", "", 1)
        loss = not running or any("loss" in entry[1].lower() for entry in self.stack) or any(map(_of_loss, frames))
        return CodeLocation(name, kind, call, line, last.f_code.co_name, loss)

    def visits(self) -> tuple[ModuleVisit, ...]:
        """The last modules without children that ended before now, in their order."""
        return tuple(
            ModuleVisit(name, kind, call, tuple(describe(tensor, role) for role, tensor in tensors))
            for name, kind, call, tensors in self.last
        )

    @contextmanager
    def followed(self) -> Iterator["ModuleCallStack"]:
        """Registers hooks around the present ones, and marks each node of the graph with its location."""
        with removed_afterwards(self._handles()), GraphAnnotator(self.place):
            yield self

    def _handles(self) -> Iterator[RemovableHandle]:
        for module in self.model.modules():
            yield module.register_forward_pre_hook(self.enter, prepend=True)
            yield module.register_forward_hook(self.leave, always_call=True)


def _frames() -> Iterator[FrameType]:
    """Frames from here outwards, up to the innermost one of the user's code, or to what drives the step."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and DRIVER not in frame.f_globals:
        yield frame
        if _is_user_code(frame):
            return
        frame = frame.f_back


def _is_user_code(frame: FrameType) -> bool:
    """Neither torch's nor of these instruments."""
    file = frame.f_code.co_filename
    return not file.startswith((TORCH, MEASURING, "<"))


def _of_loss(frame: FrameType) -> bool:
    words = f"{frame.f_code.co_name} {Path(frame.f_code.co_filename).stem}".lower()
    return not frame.f_code.co_filename.startswith(MEASURING) and ("loss" in words or "entropy" in words)
