"""Names each result of a pass by module, call, operation and number, to compare two passes."""

from collections import Counter
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from probes.facts.core.torch_ops import iter_leaves, name_of, numeric, storage_key, writes, written_tensors
from probes.facts.nonfinite.graph_annotations import CodeLocation, place_of_node
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.provenance import AUXILIARY, UNWRITTEN
from probes.facts.precision.format_types import Key
from probes.facts.precision.types import BACKWARD, FORWARD

CAST = "_to_copy"


class OpResults(TorchDispatchMode):
    """Names each result by module, call, operation and number, to compare passes in two precisions.

    A cast between floating types is no result of its own: autocast puts them in, and plain float32 has none.
    """

    def __init__(self, calls: ModuleCallStack) -> None:
        super().__init__()
        self.calls, self.phase = calls, FORWARD
        self._numbers: Counter[tuple[Any, ...]] = Counter()

    def turn(self, phase: str) -> None:
        self.phase = phase
        self.calls.repeating = phase == BACKWARD

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        inputs = [tensor for tensor in iter_leaves((args, kwargs)) if numeric(tensor)]
        output = func(*args, **kwargs)
        keys = {storage_key(tensor) for tensor in inputs}
        results = filter(numeric, written_tensors(func, args, kwargs, output))
        fresh = [tensor for tensor in results if writes(func) or storage_key(tensor) not in keys]
        if name_of(func).startswith(UNWRITTEN):
            return output
        if fresh and not (name_of(func) == CAST and inputs):
            place, phase = self._place()
            for tensor in fresh[:1] if name_of(func) in AUXILIARY else fresh:
                self.note(self._key(place, phase, name_of(func)), place, tensor, inputs, args)
        elif fresh:
            self.cast(fresh[0], inputs[0])
        return output

    def note(self, key: Key, place: CodeLocation, tensor: torch.Tensor, inputs: list[torch.Tensor], args: Any) -> None:
        raise NotImplementedError

    def cast(self, tensor: torch.Tensor, source: torch.Tensor) -> None:
        """A floating type became another one."""

    def _place(self) -> tuple[CodeLocation, str]:
        """A checkpointed module runs again within the backward pass: that is forward."""
        if self.phase == BACKWARD and not self.calls.stack:
            made, _ = place_of_node()
            return made or CodeLocation(), BACKWARD
        return self.calls.place(), FORWARD

    def _key(self, place: CodeLocation, phase: str, operation: str) -> Key:
        start = (phase, place.module, place.call, operation)
        self._numbers[start] += 1
        return (*start, self._numbers[start])


class OpDtypes(OpResults):
    """Which type each result has."""

    def __init__(self, calls: ModuleCallStack) -> None:
        super().__init__(calls)
        self.dtypes: dict[Key, torch.dtype] = {}

    def note(self, key: Key, place: CodeLocation, tensor: torch.Tensor, inputs: list[torch.Tensor], args: Any) -> None:
        self.dtypes[key] = tensor.dtype
