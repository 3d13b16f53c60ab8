"""Where does the gradient not arrive? Looked at again before anybody is blamed: one step is not proof.

Layer drop leaves layers out at random, and a part that starts at zero (an adapter's second matrix) hides the one before
it. So a second look runs in evaluation mode with all weights nudged, and what is still without a gradient is asked
whether the loss follows it at all.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from diagnose.engine.seeding import seed_all
from probes.facts.core.batches import copy_batch
from probes.facts.core.model_parts import covering_modules, perturb_weights, restore_weights, trainable
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.snapshot import Snapshot
from probes.facts.core.step_setup import StepSetup
from probes.facts.first_step.own_step import gradient_of
from probes.facts.first_step.types import (
    FaintGradientModule,
    GradientReach,
    Gradients,
    ParameterGradient,
    UnreachedModule,
)
from probes.facts.first_step.used_in_other_batches import mark_used_elsewhere

MOST = 4  # cuts that are asked one by one, each for a forward pass
WORTH_A_LOOK = 1e-6  # a largest element below it is looked at twice; what is too small is the probe's to say


def find_cuts(setup: StepSetup, batch: Any, first: Gradients, more: Iterable[Any] = ()) -> GradientReach:
    """Modules and parameters that the gradient does not reach, largest first; and those that it barely reaches."""
    model, total = setup.model, sum(row.size for row in first.rows)
    suspects = [row for row in first.rows if _silent(row) or _faint(row)]
    if not suspects:
        return GradientReach(total)
    with restore_afterwards(model, others=setup.also_restore) as before:
        again = _second_gradients(setup, batch)
        restore_weights(model, before)
        silent = {row.name: again[row.name].norm is None for row in suspects if _silent(again[row.name])}
        cuts = sorted(_cuts(model, silent), key=lambda cut: -cut.size)
        checked = list(_check_influence(setup, batch, cuts, before))
        checked = mark_used_elsewhere(model, lambda one: _loss(setup, one), [batch, *more], checked)
        return GradientReach(total, tuple(checked), tuple(_barely(model, suspects, again)))


def _silent(row: ParameterGradient) -> bool:
    return not row.norm and row.finite


def _faint(row: ParameterGradient) -> bool:
    """Matrices only: the gradient of a key's bias, or of one before a norm, is zero by its mathematics."""
    return row.dims > 1 and bool(row.norm) and row.finite and row.largest < WORTH_A_LOOK


def _second_gradients(setup: StepSetup, batch: Any) -> dict[str, ParameterGradient]:
    model, compute_loss = setup.model, setup.compute_loss
    with torch.enable_grad():
        model.eval()
        perturb_weights(parameter for _, parameter in trainable(model))
        pass_counter.count_passes()
        try:
            compute_loss(model, copy_batch(batch)).backward()
        except RuntimeError:  # recurrent layers on a GPU refuse a backward pass in evaluation mode
            model.train()
            compute_loss(model, copy_batch(batch)).backward()
    return {name: gradient_of(name, parameter) for name, parameter in trainable(model)}


def _barely(
    model: torch.nn.Module, suspects: list[ParameterGradient], again: dict[str, ParameterGradient]
) -> Iterator[FaintGradientModule]:
    """Topmost modules all of whose matrices stayed faint."""
    faint = {row.name: max(row.largest, again[row.name].largest) for row in suspects if _faint(again[row.name])}
    matrices = {name: parameter for name, parameter in trainable(model) if parameter.dim() > 1}
    for module, kind, names in covering_modules(model, set(faint), set(matrices)):
        size = sum(matrices[name].numel() for name in names)
        yield FaintGradientModule(module, kind, len(names), size, max(faint[name] for name in names))


def _cuts(model: torch.nn.Module, suspects: dict[str, bool]) -> Iterator[UnreachedModule]:
    everything = dict(trainable(model))
    for module, kind, names in covering_modules(model, set(suspects), set(everything)):
        size = sum(everything[name].numel() for name in names)
        missing = all(suspects[name] for name in names)
        yield UnreachedModule(module, kind, len(names), size, missing, no_grad=_is_under_no_grad(model, module))


def _is_under_no_grad(model: torch.nn.Module, name: str) -> bool:
    """Whether the class of a module without parts has its forward decorated with torch.no_grad."""
    module = dict(model.named_modules()).get(name)
    if module is None or next(module.children(), None) is not None:
        return False
    cells = getattr(type(module).forward, "__closure__", None) or ()
    held = [getattr(cell.cell_contents, "__self__", cell.cell_contents) for cell in cells]
    return any(isinstance(value, torch.no_grad) for value in held)


def _check_influence(
    setup: StepSetup, batch: Any, cuts: list[UnreachedModule], before: Snapshot
) -> Iterator[UnreachedModule]:
    """Whether the loss changes with this module's weights alone, by more than it varies by itself."""
    model = setup.model
    with torch.no_grad():
        model.eval()
        first, again = (_loss(setup, batch) for _ in range(2)) if cuts else (0.0, 0.0)
        slack = 10 * abs(first - again) + 1e-6 * max(1.0, abs(first))
        for number, cut in enumerate(cuts):
            if number < MOST:
                inside = (p for n, p in trainable(model) if n == cut.module or n.startswith(f"{cut.module}."))
                perturb_weights(inside)
                cut = replace(cut, followed=not abs(_loss(setup, batch) - first) <= slack)
                restore_weights(model, before)
            yield cut


def _loss(setup: StepSetup, batch: Any) -> float:
    pass_counter.count_passes(pass_counter.FORWARD)
    seed_all(0)  # negatives and noise that the loss draws are the same in every pass
    return float(setup.compute_loss(setup.model, copy_batch(batch)))
