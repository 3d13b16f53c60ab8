"""An update of fake weights by the settings of the run's own optimizer, which is not touched."""

import copy
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import torch

Fakes = Mapping[int, torch.nn.Parameter]


def fake_update(optimizer: Any, fakes: Fakes, gpu: bool) -> Iterator[tuple[torch.nn.Parameter, torch.Tensor]]:
    """Steps every optimizer of torch's kind that is inside; yields each parameter with each tensor of its state."""
    for one in optimizers_in(optimizer):
        stand_in = _stand_in(one, fakes, gpu)
        stand_in.step()
        for parameter, state in stand_in.state.items():
            yield from ((parameter, value) for value in state.values() if isinstance(value, torch.Tensor))


def optimizers_in(optimizer: Any) -> Iterator[torch.optim.Optimizer]:
    """The optimizer itself, what a wrapper holds, or every one of a list."""
    if isinstance(optimizer, torch.optim.Optimizer) and not hasattr(optimizer, "optimizer"):
        yield optimizer
        return
    inner = getattr(optimizer, "optimizer", None)
    for one in getattr(optimizer, "optimizers", ()) if inner is None else (inner,):
        yield from optimizers_in(one)


def _stand_in(optimizer: torch.optim.Optimizer, fakes: Fakes, gpu: bool) -> torch.optim.Optimizer:
    """A copy with fake parameters and no state; a schedule may have replaced `step` by one that is bound."""
    stand_in = copy.copy(optimizer)
    vars(stand_in).pop("step", None)
    stand_in.state = defaultdict(dict)
    stand_in.param_groups = [_with_fakes(group, fakes, gpu) for group in optimizer.param_groups]
    return stand_in


def _with_fakes(group: Mapping[str, Any], fakes: Fakes, gpu: bool) -> dict[str, Any]:
    parameters = [fakes[id(parameter)] for parameter in group["params"] if id(parameter) in fakes]
    unset = gpu and "foreach" in group and group["foreach"] is None and not group.get("fused")
    return {**group, "params": parameters, **({"foreach": True} if unset else {})}  # torch's default on a GPU
