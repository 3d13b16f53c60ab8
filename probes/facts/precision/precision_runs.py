"""One step in each precision with real half kernels: by autocast after a CPU's or a GPU's list, and by .half()."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch

from probes.facts.core.batches import copied
from probes.facts.core.failure import in_short
from probes.facts.core.finite import is_finite
from probes.facts.core.observer import observed
from probes.facts.nonfinite.module_calls import Calls
from probes.facts.nonfinite.traced_step import DTYPES, Subject, attempt, find_origin
from probes.facts.nonfinite.types import Origin
from probes.facts.precision.autocast_rules import gpu_rules, one_type
from probes.facts.precision.fp32_fallback import Widening
from probes.facts.precision.op_results import Types
from probes.facts.precision.range_recorder import passed
from probes.facts.precision.types import Key

PURE, CPU, GPU = "pure", "cpu", "gpu"
WAYS = {PURE: "pure (model.half())", CPU: "autocast, CPU's list", GPU: "autocast, GPU's list"}
Keep = Callable[[torch.nn.Module, Any], list[Any]]


@dataclass(frozen=True)
class Arm:
    """A precision, and which operations it lowers: all (.half()), or those on autocast's list for a CPU or a GPU."""

    precision: str
    rules: str

    @property
    def name(self) -> str:
        return f"{self.precision} {WAYS[self.rules]}"


@dataclass(frozen=True)
class Tried:
    """What a step gave."""

    loss: float | None = None
    finite: bool = False
    refused: str = ""
    bridged: tuple[str, ...] = ()
    types: Mapping[Key, torch.dtype] | None = None


@contextmanager
def running(subject: Subject, batch: Any, arm: Arm) -> Iterator[tuple[Subject, Any, Widening]]:
    """The subject and the batch as the arm has them."""
    device = next((one.device.type for one in subject.model.parameters()), "cpu")
    widening = Widening()
    with ExitStack() as stack:
        if arm.rules == GPU and device == "cpu":
            stack.enter_context(gpu_rules())
        precision = "fp32" if arm.rules == PURE else arm.precision
        stack.enter_context(one_type(DTYPES.get(precision)))
        if arm.rules == PURE:
            stack.enter_context(observed(subject.model, others=subject.others))
            subject.model.to(DTYPES[arm.precision])
            batch = _floats_as(batch, DTYPES[arm.precision])
        stack.enter_context(widening)
        yield replace(subject, precision=precision, optimizer=None), batch, widening


def try_arm(subject: Subject, batch: Any, arm: Arm, scale: float = 1.0) -> Tried:
    """Forward and backward; an error is a result."""
    with running(subject, batch, arm) as (its, given, widening):
        calls = Calls(its.model)
        types = Types(calls)
        try:
            with attempt(its), calls.followed(), types:
                loss = passed(its, copied(given), types, scale)
                gradients = [one.grad for one in its.model.parameters() if one.grad is not None]
                finite = all(map(is_finite, (loss, *gradients)))
        except Exception as error:
            return Tried(refused=f"{type(error).__name__}: {in_short(str(error))}", bridged=tuple(widening.bridged))
        return Tried(float(loss), finite, "", tuple(widening.bridged), types.seen)


def origin_in(subject: Subject, batch: Any, arm: Arm, scale: float = 1.0) -> Origin | None:
    """Where the bad value was born that reaches the arm's loss or gradients."""
    with running(subject, batch, arm) as (its, given, _):
        if scale != 1:
            plain = its.compute_loss
            its = replace(its, compute_loss=lambda model, batch: plain(model, batch).float() * scale)
        origin = find_origin(its, given)
    return None if origin is None else replace(origin, precision=arm.precision)


def _floats_as(batch: Any, dtype: torch.dtype) -> Any:
    if isinstance(batch, torch.Tensor):
        return batch.to(dtype) if batch.is_floating_point() else batch
    if isinstance(batch, Mapping):
        return {key: _floats_as(value, dtype) for key, value in batch.items()}
    return type(batch)(_floats_as(item, dtype) for item in batch) if type(batch) in (list, tuple) else batch
