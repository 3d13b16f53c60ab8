"""Where the weights come from: declared new, missing in the checkpoint, or freshly initialized by their looks."""

import re
from collections.abc import Iterable
from typing import Any

import torch

from probes.facts.core.model_parts import holder_of, is_fixed_table, is_sinusoidal
from probes.facts.core.tokens import table_of
from probes.facts.parameters.parameter_table import matches
from probes.facts.parameters.types import NewParameters
from probes.facts.parameters.weight_types import MissingKey, MissingKeys, UntrainedFrozenModules

MARK = "_is_hf_initialized"  # transformers 5 sets it on every parameter that it reads from a checkpoint
ADAPTER = re.compile(r"(^|[._])(adapters?|lora)(?=$|[._])", re.IGNORECASE)
FEWEST = 64  # values from which the shape of a distribution can be told


def absent_in_checkpoint(model: torch.nn.Module) -> tuple[str, ...] | None:
    """Names of the parameters that no checkpoint was read into; None where nothing says that one was read at all.

    Token tables are left out: a resize makes a new one, with the trained rows in it.
    """
    named = list(model.named_parameters())
    if not any(getattr(parameter, MARK, False) for _, parameter in named):
        return None
    tables = {id(table.weight) for table in _tables(model)}
    return tuple(name for name, one in named if not getattr(one, MARK, False) and id(one) not in tables)


def _tables(model: torch.nn.Module) -> list[Any]:
    methods = ("get_input_embeddings", "get_output_embeddings")
    tables = (table_of(part, method) for part in model.modules() for method in methods)
    return [table for table in tables if table is not None]


def novelty_of(
    model: torch.nn.Module, fresh: tuple[str, ...], absent: Iterable[str], later: tuple[str, ...] = ()
) -> NewParameters:
    """Vectors that are still constant (a norm's ones, a bias of zeros) do nothing while frozen, and are passed over."""
    named = [
        (name, parameter)
        for name, parameter in model.named_parameters()
        if not is_fixed_table(holder_of(model, name), parameter)
        and not _neutral(parameter)
        and not matches(name, later)
    ]
    missing = set(absent)
    return NewParameters(
        declared=tuple(name for name, _ in named if matches(name, fresh)),
        absent=tuple(name for name, _ in named if name in missing),
    )


def _neutral(parameter: torch.Tensor) -> bool:
    if parameter.dim() > 1 or parameter.is_meta or not parameter.numel():
        return not parameter.numel()
    return bool((parameter == parameter.flatten()[0]).all())


def missing_of(model: torch.nn.Module, absent: Iterable[str], fresh: tuple[str, ...] | None) -> MissingKeys:
    """Each with the same parameter of another layer, where the checkpoint held that one."""
    named = dict(model.named_parameters())
    computed = {name for name, one in named.items() if is_sinusoidal(holder_of(model, name), one)}
    missing = [name for name in absent if name in named and name not in computed]
    tables = {id(table.weight) for table in _token_tables(model)}
    there: dict[str, str] = {}
    for name in named.keys() - set(missing):
        there[without_layer_index(name)] = min(name, there.get(without_layer_index(name), name))
    rows = tuple(
        MissingKey(
            name=name,
            size=named[name].numel(),
            expected=matches(name, fresh or ()),
            neighbour=there.get(without_layer_index(name), "") if "*" in without_layer_index(name) else "",
            matrix=named[name].dim() > 1,
            table=id(named[name]) in tables,
        )
        for name in missing
    )
    return MissingKeys(rows, sum(one.numel() for one in named.values()), fresh is not None)


def _token_tables(model: torch.nn.Module) -> list[Any]:
    """Embedding and head of one vocabulary; a head with rows of its own (classes, characters) is often new."""
    tables = _tables(model)
    rows = [int(table.weight.shape[0]) for table in tables if isinstance(table, torch.nn.Embedding)]
    return [table for table in tables if int(table.weight.shape[0]) in rows]


def without_layer_index(name: str) -> str:
    """The name without the layer's number: the same for the same parameter of every layer."""
    return re.sub(r"(?<=\.)\d+(?=\.)", "*", name)


def untouched_of(model: torch.nn.Module) -> UntrainedFrozenModules:
    """Among frozen modules, those that nobody has trained, where others were."""
    new, trained, adapters, silent = [], 0, [], []
    for name, module in model.named_modules():
        own = list(module.parameters(recurse=False))
        if not own or any(p.requires_grad or p.is_meta or not p.is_floating_point() for p in own):
            continue
        read = all(getattr(p, MARK, False) for p in own)  # from a checkpoint: not put in later, whatever it looks like
        size, looks = sum(p.numel() for p in own), False if read else looks_freshly_initialized(module)
        if looks:
            new.append((name, size))
        trained += size if looks is False else 0
        if ADAPTER.search(name):
            adapters.append(name)
            silent += [name] if any(p.dim() > 1 and not bool(p.any()) for p in own) else []
    names, values = tuple(name for name, _ in new), sum(size for _, size in new)
    return UntrainedFrozenModules(names, values, trained, tuple(adapters), tuple(silent))


def looks_freshly_initialized(module: torch.nn.Module) -> bool | None:
    """Drawn from a normal or uniform law, with a bias of zeros or of torch's own law; None: it cannot be told.

    Training makes the tails heavier than a normal law's and moves what began as a constant.
    """
    weight, bias = getattr(module, "weight", None), getattr(module, "bias", None)
    if not isinstance(weight, torch.Tensor) or weight.numel() < FEWEST or weight.dim() < 2:
        return False if isinstance(weight, torch.Tensor) and not _neutral(weight) else None
    values = weight.detach().float()
    spread = values - values.mean()
    kurtosis = float(spread.pow(4).mean() / (spread.pow(2).mean() ** 2 + 1e-30))
    room = 5 * (24 / weight.numel()) ** 0.5  # five standard errors of a kurtosis
    if kurtosis > 3 + room:
        return False
    uniform = abs(kurtosis - 1.8) < room
    if uniform and float(values.abs().max()) <= 1.01 / weight[0].numel() ** 0.5:  # torch's own, biases included
        return True
    if bias is None or not (uniform or abs(kurtosis - 3) < room):
        return None
    return not bool(bias.any())
