"""Layers with weights that run more than once in a forward pass, on their own output or under several names."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.hooks import record_modules
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.torch_ops import iter_leaves
from probes.facts.parameters.types import ReusedLayer

MOST = 8  # calls; a layer that is called for every time step is a recurrent one
CONTAINERS = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict)
RECURRENT = (torch.nn.RNNCellBase, torch.nn.RNNBase, torch.nn.Embedding)


def find_reused_layers(setup: StepSetup, batch: Any) -> tuple[ReusedLayer, ...]:
    """Those of a library's own model are left out: it reuses layers on purpose."""
    listed = dict(_listed(setup.model))
    found = [ReusedLayer(names, len(names)) for names in listed.values()]
    known = {name for names in listed.values() for name in names}
    chained = [one for one in _chained(setup, batch) if one.names[0] not in known]
    return tuple(found + chained)


def _listed(model: torch.nn.Module) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The same instance at several places of one container."""
    for name, container in model.named_modules():
        if isinstance(container, CONTAINERS) and not _is_of_library(model, name):
            places: dict[int, list[str]] = defaultdict(list)
            for place, layer in container._modules.items():
                if layer is not None and any(one.requires_grad for one in layer.parameters()):
                    places[id(layer)].append(f"{name}.{place}" if name else place)
            yield from ((number, tuple(names)) for number, names in places.items() if len(names) > 1)


def _chained(setup: StepSetup, batch: Any) -> Iterator[ReusedLayer]:
    """The input of a later call is computed from the output of an earlier one."""
    model = setup.model
    with (
        restore_afterwards(model, others=setup.also_restore),
        torch.enable_grad(),
        record_modules(model, _graph) as calls,
    ):
        pass_counter.count_passes(pass_counter.FORWARD)
        setup.compute_loss(model, copy_batch(batch))
        runs: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
        for call in calls:
            runs[call.name].append((call.inputs, call.outputs))
        for name, both in runs.items():
            layer = model.get_submodule(name)
            plain = name and not _is_of_library(model, name) and not isinstance(layer, RECURRENT)
            own = any(one.requires_grad for one in layer.parameters(recurse=False))
            if plain and own and 1 < len(both) <= MOST and _depends(both[1][0], set(both[0][1])):
                yield ReusedLayer((name,), len(both))


def _graph(value: Any) -> tuple[Any, ...]:
    return tuple(leaf.grad_fn for leaf in iter_leaves(value) if leaf.grad_fn is not None)


def _depends(starts: tuple[Any, ...], targets: set[Any]) -> bool:
    seen, waiting = set(), list(starts)
    while waiting:
        node = waiting.pop()
        if node in targets:
            return True
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [following for following, _ in node.next_functions]
    return False


def _is_of_library(model: torch.nn.Module, name: str) -> bool:
    """Whether a module above it comes from an installed library, whose design it is."""
    parts = name.split(".") if name else []
    above = [model, *(model.get_submodule(".".join(parts[:count])) for count in range(1, len(parts)))]
    return any(type(one).__module__.startswith(("transformers.", "peft.", "torchaudio.")) for one in above)
