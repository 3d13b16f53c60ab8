"""Layers that no forward pass calls and no gradient reaches, with whose code holds them."""

from collections.abc import Iterable
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.hooks import record_modules
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.first_step.types import GradientReach
from probes.facts.influence.library import library_of
from probes.facts.influence.types import UnusedLayer


def find_unused_layers(setup: StepSetup, batches: Iterable[Any], reach: GradientReach) -> tuple[UnusedLayer, ...]:
    """Of the parts without gradient whose weights the loss does not follow, those that are never called."""
    cuts = [cut for cut in reach.cuts if cut.missing and not cut.followed and not cut.elsewhere]
    cuts = [cut for cut in cuts if cut.module in dict(setup.model.named_modules())]
    if not cuts:
        return ()
    called = _called(setup, batches)
    idle = [cut for cut in cuts if not any(name == cut.module or name.startswith(f"{cut.module}.") for name in called)]
    held = _held(setup.optimizer)
    return tuple(
        UnusedLayer(cut.module, cut.kind, cut.size, cut.size / max(reach.trainable, 1), _owner(setup.model, cut.module))
        for cut in idle
        if held is None or any(id(one) in held for one in setup.model.get_submodule(cut.module).parameters())
    )


def _called(setup: StepSetup, batches: Iterable[Any]) -> set[str]:
    names: set[str] = set()
    with restore_afterwards(setup.model, others=setup.also_restore), torch.no_grad():
        for training in (True, False):
            setup.model.train(training)
            for batch in batches:
                pass_counter.count_passes(pass_counter.FORWARD)
                with record_modules(setup.model, lambda values: None) as calls:
                    setup.compute_loss(setup.model, copy_batch(batch))
                names |= {call.name for call in calls}
    return names


def _held(optimizer: Any) -> set[int] | None:
    groups = getattr(optimizer, "param_groups", None)
    return None if groups is None else {id(weight) for group in groups for weight in group["params"]}


def _owner(model: torch.nn.Module, name: str) -> str:
    """The package of the innermost module around it that is more than a container of torch's."""
    while name:
        name = name.rpartition(".")[0]
        kind = type(model.get_submodule(name))
        if not kind.__module__.startswith("torch."):
            return library_of(kind)
    return ""
