"""Records the magnitude of every operation's result and of every gradient in one pass."""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch, tensors_of
from probes.facts.core.torch_ops import iter_leaves, numeric, storage_key
from probes.facts.nonfinite.graph_annotations import CodeLocation
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.traced_step import AutocastSetup, training_attempt
from probes.facts.precision.format_types import FloatFormat, Key, OpRange
from probes.facts.precision.op_results import OpResults
from probes.facts.precision.types import BACKWARD, CONSTANT, FORWARD

MOST = 1_000_000  # elements that are looked at for whole numbers


class RangeRecorder(OpResults):
    """How large each result is, and what it was computed from."""

    def __init__(
        self,
        calls: ModuleCallStack,
        known: Mapping[str, Iterable[tuple[str, torch.Tensor]]],
        form: FloatFormat | None = None,
    ) -> None:
        super().__init__(calls)
        self.form = form
        self.results: list[OpRange] = []
        self._maker: dict[int, int] = {}
        self._references: list[StorageWeakRef] = []
        self._constants = 0
        for phase, tensors in known.items():
            for name, tensor in tensors:
                if numeric(tensor):
                    self._add(OpRange((phase, name, 1, "", 1), "", "", largest(tensor)), tensor)

    def note(self, key: Key, place: CodeLocation, tensor: torch.Tensor, inputs: list[torch.Tensor], args: Any) -> None:
        sources = tuple(dict.fromkeys(map(self._source, inputs)))
        constants = [abs(number) for number in iter_leaves(args, float) if isfinite(number)]
        size = largest(tensor)
        whole, apart = self._whole(tensor) if key[0] == FORWARD and self.form is not None else (0, 0)
        result = OpRange(
            key,
            place.kind,
            place.line,
            size,
            sources,
            any(self.results[source].live for source in sources),
            max(constants, default=0.0),
            exponent_histogram(tensor) if key[0] == BACKWARD else {},
            whole,
            apart,
        )
        self._add(result, tensor)

    def cast(self, tensor: torch.Tensor, source: torch.Tensor) -> None:
        self._set_maker(tensor, self._source(source))

    def _source(self, tensor: torch.Tensor) -> int:
        """The result that made this tensor; one that no result made is a constant of the code."""
        if storage_key(tensor) not in self._maker:
            self._constants += 1
            key: Key = (CONSTANT, "", 1, "", self._constants)
            self._add(OpRange(key, "", "", largest(tensor), live=False), tensor)
        return self._maker[storage_key(tensor)]

    def _add(self, result: OpRange, tensor: torch.Tensor) -> None:
        self._set_maker(tensor, len(self.results))
        self.results.append(result)

    def _set_maker(self, tensor: torch.Tensor, by: int) -> None:
        """A weak reference keeps the name of a storage that is freed from being given to another one."""
        self._references.append(StorageWeakRef(tensor.untyped_storage()))
        self._maker[storage_key(tensor)] = by

    def _whole(self, tensor: torch.Tensor) -> tuple[int, int]:
        """Whole numbers beyond what the format counts one by one: how many, and how many it tells apart."""
        if self.form is None or largest(tensor) <= 2**self.form.digits:
            return 0, 0
        values = tensor.detach().reshape(-1)[:MOST]
        if not bool((values == values.round()).all()):
            return 0, 0
        narrow = values.to(getattr(torch, self.form.name))
        return values.unique().numel(), narrow.float().unique().numel()


def record_ranges(
    subject: AutocastSetup, batch: Any, form: FloatFormat | None = None
) -> tuple[tuple[OpRange, ...], torch.Tensor | None]:
    """One forward and backward pass in the precision of the weights: every result, and the loss."""
    model, calls = subject.model, ModuleCallStack(subject.model)
    with training_attempt(subject):
        batch = copy_batch(batch)
        known = {"weights": [*model.named_parameters(), *model.named_buffers()], "data": list(tensors_of(batch))}
        ranges = RangeRecorder(calls, known, form)
        with calls.followed(), ranges:
            loss = forward_backward(subject, batch, ranges)
        return tuple(ranges.results), loss


def forward_backward(
    subject: AutocastSetup, batch: Any, places: OpResults | None = None, scale: float = 1.0
) -> torch.Tensor:
    """Forward and backward; the loss without the scale."""
    pass_counter.count_passes()
    with subject.autocast():
        loss = subject.compute_loss(subject.model, batch)
    if places is not None:
        places.turn(BACKWARD)
    if loss.requires_grad:
        (loss if scale == 1 else loss.float() * scale).backward()
    return loss.detach()


def largest(tensor: torch.Tensor) -> float:
    """The largest magnitude among what is finite."""
    values = tensor.detach()
    values = values.abs() if values.is_complex() else values
    if not values.numel():
        return 0.0
    low, high = (float(bound) for bound in torch.aminmax(values.float()))
    if not (isfinite(low) and isfinite(high)):
        finite = values[torch.isfinite(values)].float()
        low, high = (float(bound) for bound in torch.aminmax(finite)) if finite.numel() else (0.0, 0.0)
    return max(abs(low), abs(high))


def exponent_histogram(tensor: torch.Tensor) -> dict[int, int]:
    """Elements by their power of two (2 to the power of e-1 up to 2 to the power of e); noughts are left out."""
    values = tensor.detach().float().reshape(-1)
    values = values[(values != 0) & torch.isfinite(values)]
    powers, counts = torch.frexp(values).exponent.unique(return_counts=True)
    return dict(zip(powers.tolist(), counts.tolist(), strict=True))
