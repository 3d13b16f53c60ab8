"""One step in each precision with real half kernels: by autocast after a CPU's or a GPU's list, and by .half()."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch

from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import one_line
from probes.facts.core.finite import is_finite
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.torch_ops import map_leaves
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.traced_step import DTYPES, AutocastSetup, find_origin, training_attempt
from probes.facts.nonfinite.types import Origin
from probes.facts.precision.autocast_rules import gpu_rules, one_type
from probes.facts.precision.format_types import Key
from probes.facts.precision.fp32_fallback import Fp32Fallback
from probes.facts.precision.op_results import OpDtypes
from probes.facts.precision.range_recorder import forward_backward

PURE, CPU, GPU = "pure", "cpu", "gpu"
WAYS = {PURE: "pure (model.half())", CPU: "autocast, CPU's list", GPU: "autocast, GPU's list"}
Keep = Callable[[torch.nn.Module, Any], list[Any]]


@dataclass(frozen=True)
class PrecisionMode:
    """A precision, and which operations it lowers: all (.half()), or those on autocast's list for a CPU or a GPU."""

    precision: str
    rules: str

    @property
    def name(self) -> str:
        return f"{self.precision} {WAYS[self.rules]}"


@dataclass(frozen=True)
class PrecisionTrial:
    """The result of a step in one precision."""

    loss: float | None = None
    finite: bool = False
    error: str = ""
    fallback_ops: tuple[str, ...] = ()
    types: Mapping[Key, torch.dtype] | None = None


@contextmanager
def precision_context(
    subject: AutocastSetup, batch: Any, arm: PrecisionMode
) -> Iterator[tuple[AutocastSetup, Any, Fp32Fallback]]:
    """The setup and the batch in this precision."""
    device = next((one.device.type for one in subject.model.parameters()), "cpu")
    fallback = Fp32Fallback()
    with ExitStack() as stack:
        if arm.rules == GPU and device == "cpu":
            stack.enter_context(gpu_rules())
        precision = "fp32" if arm.rules == PURE else arm.precision
        stack.enter_context(one_type(DTYPES.get(precision)))
        if arm.rules == PURE:
            stack.enter_context(restore_afterwards(subject.model, others=subject.also_restore))
            subject.model.to(DTYPES[arm.precision])
            batch = _floats_as(batch, DTYPES[arm.precision])
        stack.enter_context(fallback)
        yield replace(subject, precision=precision, optimizer=None), batch, fallback


def try_precision(subject: AutocastSetup, batch: Any, arm: PrecisionMode, scale: float = 1.0) -> PrecisionTrial:
    """Forward and backward; an error is a result."""
    with precision_context(subject, batch, arm) as (its, its_batch, fallback):
        calls = ModuleCallStack(its.model)
        types = OpDtypes(calls)
        try:
            with training_attempt(its), calls.followed(), types:
                loss = forward_backward(its, copy_batch(its_batch), types, scale)
                gradients = [one.grad for one in its.model.parameters() if one.grad is not None]
                finite = all(map(is_finite, (loss, *gradients)))
        except Exception as error:
            message = f"{type(error).__name__}: {one_line(str(error))}"
            return PrecisionTrial(error=message, fallback_ops=tuple(fallback.ops))
        return PrecisionTrial(float(loss), finite, "", tuple(fallback.ops), types.dtypes)


def find_origin_in(subject: AutocastSetup, batch: Any, arm: PrecisionMode, scale: float = 1.0) -> Origin | None:
    """The origin of the bad value that reaches the loss or the gradients in this precision."""
    with precision_context(subject, batch, arm) as (its, its_batch, _):
        if scale != 1:
            plain = its.compute_loss
            its = replace(its, compute_loss=lambda model, batch: plain(model, batch).float() * scale)
        origin = find_origin(its, its_batch)
    return None if origin is None else replace(origin, precision=arm.precision)


def _floats_as(batch: Any, dtype: torch.dtype) -> Any:
    return map_leaves(
        batch, lambda leaf: leaf.to(dtype) if torch.is_tensor(leaf) and leaf.is_floating_point() else leaf
    )
