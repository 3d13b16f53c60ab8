"""Facts of a plain training loop, from the loop itself and its variables."""

import contextlib
import io
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.optimizer import Optimizer
from torch.utils.data import DataLoader

from probes.facts.core.batches import to_device
from probes.facts.core.snapshot import Snapshot
from probes.integrations.backward_loss import loss_at_backward
from probes.integrations.loop_batches import Batches, loader_behind
from probes.integrations.loop_source import LoopSource
from probes.integrations.step_events import CLEARED, STEPPED, listen, without_effect

CONTAINERS = (list, dict, set, deque)
PLAYED = (torch.nn.Module, Optimizer, LRScheduler, torch.amp.GradScaler, DataLoader, torch.Tensor)
SILENT = (torch.nn.Module, "train"), (torch.nn.Module, "zero_grad"), (Optimizer, "zero_grad")


class StepDone(BaseException):
    """Leaves the loop after one update."""


@dataclass(frozen=True)
class WatchedLoop:
    """A loop, the model and the optimizer in it, and how a step of it goes."""

    source: LoopSource
    model: torch.nn.Module
    optimizer: Any
    wrapper: torch.nn.Module  # what the loop calls: the model, or what is around it
    accumulated: int = 1  # backward passes before an update
    divisor: float = 1  # of the loss, where it is divided by that number of passes
    clears_last: bool = True  # zero_grad comes after the update

    def facts(self) -> dict[str, Any]:
        """What preflight is told of the loop."""
        loader = loader_behind(self.source.batches)
        return {
            "train_batches": loader,
            "train_dataset": getattr(loader, "dataset", None),
            "collate": getattr(loader, "collate_fn", None),
            "compute_loss": self.compute_loss,
            "scheduler": next(self._held(LRScheduler), None),
            "grad_scaler": next(self._held(torch.amp.GradScaler), None),
            "training_step": self.training_step if self.accumulated == 1 else None,
        }

    def compute_loss(self, model: torch.nn.Module, batch: Any) -> Any:
        """What the loop first calls backward on; it does not get further."""
        with self._left_as_it_is(), without_effect(*SILENT):
            loss = loss_at_backward(lambda: self._run([batch], model))
        if loss is None:
            raise ValueError("the loop ended without a backward pass")
        return loss * self.divisor if self.divisor > 1 else loss

    def training_step(self, batch: Any) -> None:
        """The loop over one batch, to the end of its update."""
        with self._left_as_it_is(), listen(self._leave), contextlib.suppress(StepDone, StopIteration):
            self._run([batch], self.model)

    def _leave(self, event: str, subject: Any) -> None:
        if event == (CLEARED if self.clears_last else STEPPED):
            raise StepDone

    def _run(self, batches: list[Any], model: torch.nn.Module) -> None:
        device = getattr(self.source.batches, "device", None)  # accelerate moves batches while they are read
        moved = batches if device is None else [to_device(batch, device) for batch in batches]
        self.source.run(Batches(moved, self.source.batches), {id(self.model): model, id(self.wrapper): model})

    @contextlib.contextmanager
    def _left_as_it_is(self) -> Iterator[None]:
        """Lists, dicts and attributes that the loop writes are restored; it prints nothing."""
        keeper, nowhere = Snapshot(), io.StringIO()
        for held in _containers(list(self.source.variables.values())):
            keeper.keep_entries(held)
        try:
            with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
                yield
        finally:
            keeper.put_back()

    def _held(self, kind: type) -> Iterator[Any]:
        """Of this type, among the variables and their attributes, for this optimizer."""
        values = list(self.source.variables.values())
        values += [inner for value in values if _plain(value) for inner in vars(value).values()]
        for value in values:
            value = getattr(value, "scheduler", value)  # accelerate's is a wrapper
            if isinstance(value, kind) and getattr(value, "optimizer", self.optimizer) is self.optimizer:
                yield value


def _containers(values: list[Any], deep: int = 2) -> Iterator[Any]:
    for value in values:
        if isinstance(value, CONTAINERS):
            yield value
            inner = list(value.values()) if isinstance(value, dict) else list(value)
        elif _plain(value):
            yield vars(value)
            inner = list(vars(value).values())
        else:
            continue
        if deep and len(inner) < 1000:
            yield from _containers(inner, deep - 1)


def _plain(value: Any) -> bool:
    """An object of somebody's own class: not a function, a module or what torch restores itself."""
    described = isinstance(value, type | Callable) or type(value).__module__ == "builtins"
    return hasattr(value, "__dict__") and not described and not isinstance(value, PLAYED)
