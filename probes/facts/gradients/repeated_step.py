"""Repeats the first step from its own seed: the loss must be the same; activations are recorded."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.seeding import seeded
from probes.facts.core.backward_failure import module_holding_graph
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import failure_of
from probes.facts.core.model_parts import as_in_training, covering_modules, perturb_weights, restore_weights, trainable
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.snapshot import Snapshot
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import Failure
from probes.facts.gradients.activation_stats import ActivationSpy
from probes.facts.gradients.custom_functions import CustomFunctionCall, check_backward, record_custom_functions
from probes.facts.gradients.loss_terms import is_cut, parameters_reached, terms_of_loss
from probes.facts.gradients.nondeterminism import first_nondeterministic_module
from probes.facts.gradients.types import LossTerm, RepeatedStep

SAME = {"cpu": 2e-6}  # relative; a GPU may choose another algorithm in between, and add up in another order
MOST = 2  # summands that are asked, each for a forward pass


@dataclass(frozen=True, kw_only=True)
class RepeatSetup(StepSetup):
    """A step on this batch, under the seed of the first step."""

    batch: Any

    def loss(self) -> torch.Tensor:
        pass_counter.count_passes()
        with seeded("first_step"):
            return self.compute_loss(self.model, copy_batch(self.batch)).reshape(())


def repeat(subject: RepeatSetup, first: float) -> RepeatedStep:
    """A further step after it, with whatever the model keeps from one step to the next."""
    model = subject.model
    with restore_afterwards(model, others=subject.also_restore) as before, torch.enable_grad():
        as_in_training(model)
        found = RepeatedStep(first, first, device=next((weight.device.type for weight in model.parameters()), "cpu"))
        try:
            loss, spy, calls = _recorded_loss(subject)
        except Exception as error:
            return replace(found, failure=failure_of(error, model, "second step"))
        found = replace(found, second=float(loss.detach()), activations=spy.activations())
        suspects = _suspects(model, loss, spy)
        del spy  # it holds the graph
        functions = tuple(row for call in calls.values() for row in check_backward(call))
        if failure := _further(subject, loss):
            return replace(found, functions=functions, failure=failure)
        steady = not _differs(first, found.second, found.device)
        found = replace(found, functions=functions, parts=tuple(_parts(subject, suspects, before)) if steady else ())
    if not steady:
        module, kind = first_nondeterministic_module(subject, subject.loss)
        found = replace(found, nondeterministic_module=module, kind=kind)
    return found


def _recorded_loss(subject: RepeatSetup) -> tuple[torch.Tensor, ActivationSpy, dict[Any, CustomFunctionCall]]:
    """The loss with what was recorded; a model that raises under the spy, as a compiled one may, runs without."""
    spy = ActivationSpy(subject.model)
    try:
        with record_custom_functions() as calls, spy:
            return subject.loss(), spy, calls
    except Exception:
        return subject.loss(), ActivationSpy(subject.model), {}


def _further(subject: RepeatSetup, loss: torch.Tensor) -> Failure | None:
    """What comes of another step, with whatever the model kept of the one before."""
    try:
        loss.backward()
        subject.loss().backward()
    except Exception as error:
        return module_holding_graph(failure_of(error, subject.model, "second step"), subject.model)
    return None


@dataclass(frozen=True)
class _Suspect:
    part: LossTerm
    place: int  # among the numbers that were heard
    lacks: frozenset[str]


def _suspects(model: torch.nn.Module, loss: torch.Tensor, spy: ActivationSpy) -> list[_Suspect]:
    """Terms whose graph lacks parameters of another term's graph that were used before it was computed."""
    names = {id(parameter): name for name, parameter in trainable(model)}
    sizes = {name: parameter.numel() for name, parameter in trainable(model)}
    nodes = terms_of_loss(loss) if loss.grad_fn is not None else []
    reach = {node: parameters_reached(node, names) for node in nodes}
    if len(nodes) < 2 or any(found is None for found in reach.values()):
        return []
    found: list[_Suspect] = []
    for node, own in ((node, found or {}) for node, found in reach.items()):
        others = [found or {} for other, found in reach.items() if other is not node]
        before = {name for found in others for name, number in found.items() if number < node._sequence_nr()}
        lacks = frozenset(before - set(own))
        place = next((n for n, (_, value) in enumerate(spy.numbers) if value.grad_fn == node), None)
        if not lacks or place is None or not is_cut(model, own, [one[n] for one in others for n in lacks if n in one]):
            continue
        alone = set(own) - {name for found in others for name in found}
        share = sum(sizes[name] for name in alone) / max(sum(sizes.values()), 1)
        name, value = spy.numbers[place]
        found.append(_Suspect(LossTerm(name, float(value.detach()), share), place, lacks))
    return found


def _parts(subject: RepeatSetup, suspects: list[_Suspect], before: Snapshot) -> Iterator[LossTerm]:
    """Whether a term changes with the parameters that its graph lacks; terms that train most come first."""
    model = subject.model
    everything = {name for name, _ in trainable(model)}
    for number, suspect in enumerate(sorted(suspects, key=lambda one: -one.part.share)):
        parts = sorted(covering_modules(model, set(suspect.lacks), everything), key=lambda part: -_size(model, part[2]))
        module, kind, names = parts[0]
        part = replace(suspect.part, module=module, kind=kind, tensors=len(names))
        if number < MOST:
            restore_weights(model, before)
            perturb_weights(parameter for name, parameter in trainable(model) if name in suspect.lacks)
            with ActivationSpy(model) as spy:
                subject.loss()
            restore_weights(model, before)
            device = next(model.parameters()).device.type
            part = replace(part, followed=_follows(suspect, spy, device))
        yield part


def _size(model: torch.nn.Module, names: list[str]) -> int:
    return sum(model.get_parameter(name).numel() for name in names)


def _differs(one: float, other: float, device: str) -> bool:
    return abs(one - other) > SAME.get(device, 1e-3) * max(1.0, abs(one))


def _follows(suspect: _Suspect, spy: ActivationSpy, device: str) -> bool | None:
    if len(spy.numbers) <= suspect.place or spy.numbers[suspect.place][0] != suspect.part.function:
        return None
    now = float(spy.numbers[suspect.place][1].detach())
    return _differs(suspect.part.value, now, device)
