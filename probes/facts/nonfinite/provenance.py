"""Follows values that are not finite, operation by operation, to the one that produced them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from probes.facts.core.finite import is_finite
from probes.facts.core.torch_ops import (
    describe,
    has_nan,
    is_mask,
    iter_leaves,
    name_of,
    numeric,
    storage_key,
    values_of,
    writes,
    written_tensors,
)
from probes.facts.core.types import TensorSummary
from probes.facts.nonfinite.graph_annotations import CodeLocation, place_of_node
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.types import ModuleVisit

FOREIGN = "constant"
AUXILIARY = ("_ctc_loss",)  # all outputs but the first are for the backward pass, and hold log(0) by design
UNWRITTEN = ("empty", "new_empty", "resize_")  # memory that nobody has written to may hold anything


@dataclass(frozen=True)
class NonFiniteOrigin:
    """Where a bad value was produced. An intentional one (a mask of -inf) counts only where it becomes NaN."""

    phase: str
    operation: str
    place: CodeLocation
    order: int
    values: tuple[TensorSummary, ...] = ()
    visits: tuple[ModuleVisit, ...] = ()
    node: str = ""  # in a backward pass: what is being differentiated
    intentional: bool = False
    nan: bool = False


class NonFiniteTracker(TorchDispatchMode):
    """Below autograd: sees every operation of forward pass, loss, backward pass and update."""

    def __init__(self, calls: ModuleCallStack, known: Mapping[str, Iterable[tuple[str, torch.Tensor]]]) -> None:
        super().__init__()
        self.calls = calls
        self.phase = "forward pass"
        self.order = 0
        self._tags: dict[int, NonFiniteOrigin] = {}
        self._clean: set[int] = set()
        self._held: list[torch.Tensor] = []  # memory of a tagged value is never given to another one
        for phase, tensors in known.items():
            for name, tensor in tensors:
                self._register(phase, name, tensor)

    def tag_of(self, tensor: torch.Tensor, consumer: str = "") -> NonFiniteOrigin | None:
        """The origin of what is not finite in this tensor; of an unknown one, the operation that reads it."""
        key = storage_key(tensor)
        if key in self._clean or not numeric(tensor) or is_finite(tensor):
            return None
        if key not in self._tags:
            self._register(FOREIGN, "", tensor, consumer)
        return self._tags[key]

    def origin_of(self, tensor: torch.Tensor) -> NonFiniteOrigin:
        """The origin of a value that is known to be bad, also where no operation of torch produced it."""
        key = storage_key(tensor)
        if key not in self._tags:
            self._clean.discard(key)
            self._register(FOREIGN, "", tensor)
        return self._tags[key]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        inputs = [tensor for tensor in map(values_of, iter_leaves((args, kwargs))) if numeric(tensor)]
        traced = [(tensor, self.tag_of(tensor, name_of(func))) for tensor in inputs]
        origins = [replace(tag, nan=has_nan(tensor)) for tensor, tag in traced if tag is not None]
        before = [describe(tensor, "input") for tensor in inputs] if writes(func) and not origins else None
        output = func(*args, **kwargs)
        self.order += 1
        if name_of(func).startswith(UNWRITTEN):
            return output
        constant = not inputs or any(not isfinite(value) for value in iter_leaves(args, float))
        for number, tensor in enumerate(map(values_of, written_tensors(func, args, kwargs, output))):
            auxiliary = number > 0 and name_of(func) in AUXILIARY
            self._judge(func, tensor, inputs, origins, before, constant or auxiliary)
        return output

    def _judge(
        self,
        func: Any,
        tensor: torch.Tensor,
        inputs: list[torch.Tensor],
        origins: list[NonFiniteOrigin],
        before: list[TensorSummary] | None,
        intentional: bool,
    ) -> None:
        if not numeric(tensor):
            return
        key = storage_key(tensor)
        if is_finite(tensor):
            if tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes():
                self._tags.pop(key, None)
            return
        self._clean.discard(key)
        nan = has_nan(tensor)
        tag = min(origins, key=lambda one: (one.intentional, nan and not one.nan, one.order), default=None)
        if tag is None:
            tag = replace(self._new_origin(func, tensor, inputs, before, nan), intentional=intentional)
        elif tag.intentional and nan and not tag.nan:
            tag = self._new_origin(func, tensor, inputs, before, nan)
        self._tags[key] = tag
        self._held.append(tensor.detach())

    def _new_origin(
        self, func: Any, tensor: torch.Tensor, inputs: list[torch.Tensor], before: list[TensorSummary] | None, nan: bool
    ) -> NonFiniteOrigin:
        place, phase, node = self.calls.place(), self.phase, ""
        if phase == "backward pass" and not place.module:
            made, node = place_of_node()
            # a line here is one of a backward pass that a person wrote
            place = replace(made, line=place.line or made.line) if made else place
        elif phase != "update":  # a checkpointed module runs again within the backward pass
            phase = "loss" if place.loss else "forward pass"
        went_in = before if before is not None else [describe(value, "input") for value in inputs]
        values = (*went_in, describe(tensor, "output"))
        return NonFiniteOrigin(phase, name_of(func), place, self.order, values, self.calls.visits(), node, nan=nan)

    def _register(self, phase: str, name: str, tensor: torch.Tensor, consumer: str = "") -> None:
        """A value that was there before: finite, or bad from the start."""
        if not numeric(tensor) or is_finite(tensor):
            self._clean.add(storage_key(tensor))
            return
        nan = has_nan(tensor)
        values = (describe(tensor, phase),)
        intentional = (phase == FOREIGN and not nan) or (phase == "data" and is_mask(tensor))
        place = self.calls.place() if consumer else CodeLocation(name)
        if consumer and self.phase == "forward pass":
            phase = "loss" if place.loss else self.phase
        origin = NonFiniteOrigin(phase, consumer, place, self.order, values, intentional=intentional, nan=nan)
        self._tags[storage_key(tensor)] = origin
        self._held.append(tensor.detach())
