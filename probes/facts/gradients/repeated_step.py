"""The first step once more, from its own seed: it must give the same loss, and this time somebody listens."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.seeding import seeded
from probes.facts.core.batches import copied
from probes.facts.core.failure import failure_of
from probes.facts.core.model_output import ComputeLoss
from probes.facts.core.model_parts import as_in_training, nudge, put_weights_back, topmost, trainable
from probes.facts.core.observer import observed
from probes.facts.core.snapshot import Keeper
from probes.facts.core.types import Failure
from probes.facts.first_step.backward_failure import holding
from probes.facts.gradients.activation_stats import Ears
from probes.facts.gradients.custom_functions import Call, checked, recorded
from probes.facts.gradients.loss_terms import reached, summands
from probes.facts.gradients.nondeterminism import first_difference
from probes.facts.gradients.types import LossPart, Repeat

SAME = {"cpu": 2e-6}  # relative; a GPU may choose another algorithm in between, and add up in another order
MOST = 2  # summands that are asked, each for a forward pass


@dataclass(frozen=True)
class Subject:
    """What is run, and the seed under which the first step ran."""

    model: torch.nn.Module
    batch: Any
    compute_loss: ComputeLoss
    seed: str = "first_step"

    def loss(self) -> torch.Tensor:
        pass_counter.count()
        with seeded(self.seed):
            return self.compute_loss(self.model, copied(self.batch)).reshape(())


def repeat(subject: Subject, first: float, others: Iterable[Any] = ()) -> Repeat:
    """A further step after it, with whatever the model keeps from one step to the next."""
    model = subject.model
    with observed(model, others=others) as before, torch.enable_grad():
        as_in_training(model)
        found = Repeat(first, first, device=next((weight.device.type for weight in model.parameters()), "cpu"))
        try:
            loss, ears, calls = _listened(subject)
        except Exception as error:
            return replace(found, failure=failure_of(error, model, "second step"))
        found = replace(found, again=float(loss.detach()), activations=ears.activations())
        asked = _suspects(model, loss, ears)
        del ears  # it holds the graph
        functions = tuple(row for call in calls.values() for row in checked(call))
        if failure := _further(subject, loss):
            return replace(found, functions=functions, failure=failure)
        steady = not _apart(first, found.again, found.device)
        found = replace(found, functions=functions, parts=tuple(_parts(subject, asked, before)) if steady else ())
    if not steady:
        wavers, kind = first_difference(subject, others)
        found = replace(found, wavers=wavers, kind=kind)
    return found


def _listened(subject: Subject) -> tuple[torch.Tensor, Ears, dict[Any, Call]]:
    """A model that does not bear being listened to, as a compiled one may not, is run again in silence."""
    ears = Ears(subject.model)
    try:
        with recorded() as calls, ears:
            return subject.loss(), ears, calls
    except Exception:
        return subject.loss(), Ears(subject.model), {}


def _further(subject: Subject, loss: torch.Tensor) -> Failure | None:
    """What comes of another step, with whatever the model kept of the one before."""
    try:
        loss.backward()
        subject.loss().backward()
    except Exception as error:
        return holding(failure_of(error, subject.model, "second step"), subject.model)
    return None


@dataclass(frozen=True)
class _Suspect:
    part: LossPart
    place: int  # among the numbers that were heard
    lacks: frozenset[str]


def _suspects(model: torch.nn.Module, loss: torch.Tensor, ears: Ears) -> list[_Suspect]:
    """Summands whose graph lacks parameters that another one's has, and that were at work before it was ready."""
    names = {id(parameter): name for name, parameter in trainable(model)}
    sizes = {name: parameter.numel() for name, parameter in trainable(model)}
    nodes = summands(loss) if loss.grad_fn is not None else []
    reach = {node: reached(node, names) for node in nodes}
    if len(nodes) < 2 or any(found is None for found in reach.values()):
        return []
    told: list[_Suspect] = []
    for node, own in ((node, found or {}) for node, found in reach.items()):
        others = [found or {} for other, found in reach.items() if other is not node]
        before = {name for found in others for name, number in found.items() if number < node._sequence_nr()}
        lacks = frozenset(before - set(own))
        place = next((n for n, (_, value) in enumerate(ears.numbers) if value.grad_fn == node), None)
        if not lacks or not own or place is None:
            continue
        alone = set(own) - {name for found in others for name in found}
        share = sum(sizes[name] for name in alone) / max(sum(sizes.values()), 1)
        name, value = ears.numbers[place]
        told.append(_Suspect(LossPart(name, float(value.detach()), share), place, lacks))
    return told


def _parts(subject: Subject, suspects: list[_Suspect], before: Keeper) -> Iterator[LossPart]:
    """Those that train most come first; asked is whether the summand follows the parameters that its graph lacks."""
    model = subject.model
    everything = {name for name, _ in trainable(model)}
    for number, suspect in enumerate(sorted(suspects, key=lambda one: -one.part.share)):
        parts = sorted(topmost(model, set(suspect.lacks), everything), key=lambda part: -_size(model, part[2]))
        module, kind, names = parts[0]
        part = replace(suspect.part, module=module, kind=kind, tensors=len(names))
        if number < MOST:
            put_weights_back(model, before)
            nudge(parameter for name, parameter in trainable(model) if name in suspect.lacks)
            with Ears(model) as ears:
                subject.loss()
            put_weights_back(model, before)
            device = next(model.parameters()).device.type
            part = replace(part, followed=_follows(suspect, ears, device))
        yield part


def _size(model: torch.nn.Module, names: list[str]) -> int:
    return sum(model.get_parameter(name).numel() for name in names)


def _apart(one: float, other: float, device: str) -> bool:
    return abs(one - other) > SAME.get(device, 1e-3) * max(1.0, abs(one))


def _follows(suspect: _Suspect, ears: Ears, device: str) -> bool | None:
    if len(ears.numbers) <= suspect.place or ears.numbers[suspect.place][0] != suspect.part.function:
        return None
    now = float(ears.numbers[suspect.place][1].detach())
    return _apart(suspect.part.value, now, device)
