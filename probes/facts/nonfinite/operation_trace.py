"""Every operation inside one module, in order, with what went in and came out."""

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from probes.facts.core.batches import copy_batch
from probes.facts.core.torch_ops import describe, iter_leaves, name_of, numeric
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.traced_step import AutocastSetup, training_attempt
from probes.facts.nonfinite.types import Operation

MOST = 500  # operations that are kept
__drives_the_step__ = True


def operations_inside(subject: AutocastSetup, batch: Any, module: str) -> tuple[Operation, ...]:
    """One forward pass; the module and all that it holds."""
    calls = ModuleCallStack(subject.model)
    steps = _OperationTrace(calls, module)
    eager = torch.compiler.set_stance("force_eager")
    with training_attempt(subject), eager, calls.followed(), steps, torch.no_grad(), subject.autocast():
        subject.compute_loss(subject.model, copy_batch(batch))
    return tuple(steps.operations)


class _OperationTrace(TorchDispatchMode):
    def __init__(self, calls: ModuleCallStack, module: str) -> None:
        super().__init__()
        self.calls, self.module = calls, module
        self.operations: list[Operation] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = func(*args, **(kwargs or {}))
        place = self.calls.place()
        if len(self.operations) < MOST and f"{place.module}.".startswith(f"{self.module}."):
            inputs = [describe(tensor, "input") for tensor in iter_leaves((args, kwargs)) if numeric(tensor)]
            outputs = [describe(tensor, "output") for tensor in iter_leaves(output) if numeric(tensor)]
            if outputs:
                values = (*inputs, *outputs)
                self.operations.append(Operation(place.module, place.call, name_of(func), place.line, values))
        return output
