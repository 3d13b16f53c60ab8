"""Devices and dtypes of tensors, modules in eval mode, and master weights of 16-bit parameters."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.nn.modules.batchnorm import _NormBase
from torch.nn.modules.dropout import _DropoutNd

from probes.facts.core.batches import tensors_of
from probes.facts.parameters.new_parameters import without_layer_index
from probes.facts.placement.types import DtypeMismatch, EvalModeModule, MasterWeights, Placement, TensorPlacement

KINDS = (torch.float32, torch.float16, torch.bfloat16)  # float64 is a matter of its own
WORDS = re.compile("master|fp32|kahan|compensation|stochastic_round|shift", re.IGNORECASE)


def placement_of(model: torch.nn.Module, batch: Any, moved: bool) -> Placement:
    rows = [*_placed(model.named_parameters(), "parameter"), *_placed(model.named_buffers(), "buffer")]
    rows += _placed(tensors_of(batch), "batch")
    spread = any(hasattr(module, "_hf_hook") for module in model.modules()) or hasattr(model, "hf_device_map")
    return Placement(tuple(rows), spread, moved)


def _placed(named: Any, owner: str) -> Iterator[TensorPlacement]:
    for name, one in named:
        module = "" if owner == "batch" else name.rpartition(".")[0]
        kind = str(one.dtype).removeprefix("torch.")
        yield TensorPlacement(
            name, owner, module, str(one.device), kind, one.numel(), owner == "parameter" and one.requires_grad
        )


def masters_of(optimizer: Any, model: torch.nn.Module) -> MasterWeights:
    """Copies in float32 among the optimiser's own tensors, or a rounding that keeps what 16 bits lose."""
    if optimizer is None:
        return MasterWeights()
    rate = max((float(group.get("lr") or 0) for group in optimizer.param_groups), default=None)
    own = {id(parameter) for parameter in model.parameters()}
    held = [one for group in optimizer.param_groups for one in group["params"] if id(one) not in own]
    if any(one.dtype is torch.float32 for one in held):
        return MasterWeights("float32 copies in its groups", rate)
    settings = {**optimizer.defaults, **vars(optimizer)} if hasattr(optimizer, "defaults") else vars(optimizer)
    said = [name for name, value in settings.items() if WORDS.search(name) and value]
    states = {name for state in optimizer.state.values() if isinstance(state, dict) for name in state}
    said += [name for name in states if isinstance(name, str) and WORDS.search(name)]
    return MasterWeights(", ".join(sorted(said)), rate)


def mismatches_of(model: torch.nn.Module) -> tuple[DtypeMismatch, ...]:
    """Within torch's own modules, whose parameters meet in one operation; and between the layers of a stack."""
    found, layers = [], dict[str, list[tuple[str, str]]]()
    for name, module in model.named_modules():
        own = {key: one.dtype for key, one in module.named_parameters(recurse=False) if one.dtype in KINDS}
        if not type(module).__module__.startswith("torch.nn.modules") or not own:
            continue
        kinds = {key: str(kind).removeprefix("torch.") for key, kind in own.items()}
        first = next(iter(kinds.items()))
        if odd := next(((key, kind) for key, kind in kinds.items() if kind != first[1]), None):
            found.append(DtypeMismatch(name, type(module).__name__, " ".join(odd), " ".join(first), within=True))
        elif "*" in without_layer_index(f"{name}."):
            layers.setdefault(f"{without_layer_index(f'{name}.')} {type(module).__name__}", []).append((name, first[1]))
    return (*found, *_odd_layers(layers))


def _odd_layers(layers: Mapping[str, list[tuple[str, str]]]) -> Iterator[DtypeMismatch]:
    for place, held in layers.items():
        kinds = [kind for _, kind in held]
        usual = max(set(kinds), key=kinds.count)
        for name, kind in held:
            if kind != usual:
                yield DtypeMismatch(name, place.rpartition(" ")[2], kind, usual, within=False)


def find_eval_mode_modules(model: torch.nn.Module) -> tuple[EvalModeModule, ...]:
    """The topmost modules in evaluation mode in a model that is in training mode."""
    found: list[EvalModeModule] = []
    for name, module in model.named_modules():
        below = any(name.startswith(f"{one.name}.") for one in found)
        if not module.training and not below:
            found.append(_resting(model, name, module))
    return tuple(found)


def _resting(model: torch.nn.Module, name: str, module: torch.nn.Module) -> EvalModeModule:
    parts = [part for part in module.modules() if not part.training]
    norms = [part for part in parts if isinstance(part, _NormBase) and part.running_mean is not None]
    dropouts = sum(_drops(part) for part in parts)
    holder, outer = module, name
    while outer and not any(True for _ in holder.parameters()):  # dropout holds nothing: the module around it decides
        outer = outer.rpartition(".")[0]
        holder = model.get_submodule(outer)
    trainable = sum(one.numel() for one in holder.parameters() if one.requires_grad)
    fresh = sum(part.num_batches_tracked is not None and int(part.num_batches_tracked) == 0 for part in norms)
    return EvalModeModule(name, dropouts, len(norms), fresh, trainable)


def _drops(part: torch.nn.Module) -> bool:
    """A dropout module, or one that calls the function with a share of its own, as transformers' layers do."""
    if isinstance(part, _DropoutNd):
        return part.p > 0
    return any("drop" in name and isinstance(value, float) and value > 0 for name, value in vars(part).items())
