"""One plain step; and only when it is not finite, the same step once more with every operation followed."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch
from accelerate.utils import extract_model_from_parallel

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch, tensors_of
from probes.facts.core.finite import is_finite
from probes.facts.core.model_parts import as_in_training
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import values_of
from probes.facts.nonfinite.causes import cause_of
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.provenance import FOREIGN, NonFiniteOrigin, NonFiniteTracker
from probes.facts.nonfinite.types import Origin

SHARED = (torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel)
DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16}
__drives_the_step__ = True


@dataclass(frozen=True, kw_only=True)
class AutocastSetup(StepSetup):
    """A step in one precision."""

    precision: str = "fp32"

    def autocast(self) -> AbstractContextManager[Any]:
        device = next((p.device.type for p in self.model.parameters()), "cpu")
        dtype = DTYPES.get(self.precision)
        return torch.autocast(device, dtype=dtype) if dtype else nullcontext()


Bad = tuple[str, torch.Tensor]  # where a value is not finite, and the value
Turn = Callable[[str], None]  # told what comes next


def step_is_finite(subject: AutocastSetup, batch: Any) -> bool:
    """One plain step: loss, gradients and updated weights are all finite."""
    shared = isinstance(getattr(subject.model, "_orig_mod", subject.model), SHARED)
    subject = replace(subject, model=unwrapped(subject.model)) if shared else subject  # the others may not be waiting
    with training_attempt(subject):
        return _step(subject, copy_batch(batch)) is None


def find_origin(subject: AutocastSetup, batch: Any) -> Origin | None:
    """The origin of the bad value that reached loss, gradient or weight, by a replay; None if that is finite."""
    model = unwrapped(subject.model)
    subject, calls = replace(subject, model=model), ModuleCallStack(model)
    with training_attempt(subject), torch.compiler.set_stance("force_eager"):
        batch = copy_batch(batch)
        known = {"weights": [*model.named_parameters(), *model.named_buffers()], "data": list(tensors_of(batch))}
        provenance = NonFiniteTracker(calls, known)

        def turn(phase: str) -> None:
            provenance.phase = phase
            calls.repeating = phase == "backward pass"

        with calls.followed(), provenance:
            bad = _step(subject, batch, turn)
        if bad is None:
            return None
        tags = [(where, provenance.origin_of(value)) for where, value in bad]
    return earliest_origin(tags, subject)


def earliest_origin(tags: list[tuple[str, NonFiniteOrigin]], subject: AutocastSetup) -> Origin:
    """Of the values that are not finite, each with where it was seen, the one that was produced first."""
    where, tag = min(tags, key=lambda one: (one[1].intentional, one[1].order))
    return _origin(tag, where, subject)


def unwrapped(model: torch.nn.Module) -> torch.nn.Module:
    """The model without torch.compile, DistributedDataParallel and the like."""
    while (inner := extract_model_from_parallel(model, keep_torch_compile=False)) is not model:
        model = inner
    return model


@contextmanager
def training_attempt(subject: AutocastSetup) -> Iterator[None]:
    model = subject.model
    with restore_afterwards(model, subject.optimizer, others=subject.also_restore), torch.enable_grad():
        as_in_training(model)
        yield


def _step(subject: AutocastSetup, batch: Any, turn: Turn = lambda phase: None) -> list[Bad] | None:
    """Forward, backward, update; ends at the first of them that leaves something bad behind, and gives it."""
    pass_counter.count_passes()
    turn("forward pass")
    with subject.autocast():
        loss = _one_number(subject.compute_loss(subject.model, batch))
    if not is_finite(loss.detach()):
        return [("the loss", loss.detach())]
    if not loss.requires_grad:
        return None
    turn("backward pass")
    loss.backward()
    named = [(name, parameter) for name, parameter in subject.model.named_parameters()]
    gradients = [(f"the gradient of {name}", values_of(p.grad)) for name, p in named if p.grad is not None]
    if bad := _bad(gradients):
        return bad
    if subject.optimizer is None:
        return None
    turn("update")
    subject.optimizer.step()
    return _bad((f"the weight {name}", parameter.detach()) for name, parameter in named)


def _one_number(loss: Any) -> torch.Tensor:
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
        found = f"a tensor of shape {list(loss.shape)}" if isinstance(loss, torch.Tensor) else type(loss).__name__
        raise TypeError(f"compute_loss returned {found}, expected a tensor with one element")
    return loss


def _bad(tensors: Iterable[Bad]) -> list[Bad] | None:
    return [(where, tensor) for where, tensor in tensors if not is_finite(tensor)] or None


def _origin(tag: NonFiniteOrigin, where: str, subject: AutocastSetup) -> Origin:
    place, phase = tag.place, _phase(where) if tag.phase == FOREIGN else tag.phase
    return Origin(
        phase=phase,
        operation=tag.operation,
        cause=cause_of(phase, tag.operation, tag.node, tag.values),
        module=place.module if phase != "update" else where.removeprefix("the weight "),
        kind=place.kind,
        call=place.call,
        line=place.line,
        values=tag.values,
        visits=tag.visits,
        observed_in=where,
        precision=subject.precision,
    )


def _phase(where: str) -> str:
    """Of a value that no operation of torch has made: by where it was seen."""
    return "update" if where.startswith("the weight") else "backward pass" if "gradient" in where else "loss"
