"""Two real steps of one process in its group, and its weights before and after them."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.optim.optimizer import register_optimizer_step_pre_hook

from probes.facts.core.digest import digest_of
from probes.facts.core.hooks import removed_afterwards
from probes.facts.core.model_output import loss_of_output
from probes.facts.distributed.rank_setup import RankSetup
from probes.facts.distributed.types import RankParameter, RankSteps

STEPS = 2  # a parameter that got no gradient is told by DistributedDataParallel in the second
# Weights of FSDP and of ZeRO 3: every process holds another piece.
SHARED_OUT, SHARING = {"DTensor", "FlatParameter"}, "FullyShardedDataParallel"


def steps_of(setup: RankSetup, batches: list[Any]) -> RankSteps:
    """Two real steps in the group: by the run's own step, or forward, backward and update of the wrapped model."""
    assert setup.model is not None
    user_step, wrapped = setup.step, setup.wrapped
    if user_step is None or not setup.prepared:  # a step of one process alone says nothing of several
        user_step = None
        _try_alone(setup, batches[0])
        setup.model = setup.model if wrapped else _shared(setup.model)
    before = weights_of(setup.model)
    gradients: dict[str, float] = {}
    model = setup.model
    with removed_afterwards([register_optimizer_step_pre_hook(lambda *_: gradients.update(_norms(model)))]):
        model.train()
        for batch in (batches * STEPS)[:STEPS]:
            (user_step or _plain_step(setup, gradients))(batch)
    after = {weight.name: weight.before for weight in weights_of(setup.model)}
    weights = [replace(w, after=after.get(w.name, ""), gradient=gradients.get(w.name)) for w in before]
    return RankSteps(tuple(weights), wrapped, user_step is not None)


def _try_alone(setup: RankSetup, batch: Any) -> None:
    """Whether there is a loss is asked of the model itself: a wrapper takes any batch and fails inside."""
    if setup.compute_loss is loss_of_output:
        with torch.no_grad():
            loss_of_output(setup.inner, batch)


def _shared(model: torch.nn.Module) -> torch.nn.Module:
    """As transformers wraps: what is not used in a step is looked for, save under gradient checkpointing."""
    if not any(parameter.requires_grad for parameter in model.parameters()):
        return model
    return DistributedDataParallel(model, find_unused_parameters=not getattr(model, "is_gradient_checkpointing", False))


def _plain_step(setup: RankSetup, gradients: dict[str, float]) -> Callable[[Any], None]:
    def step(batch: Any) -> None:
        assert setup.model is not None
        setup.model.zero_grad()
        setup.compute_loss(setup.model, batch).backward()
        gradients.update(_norms(setup.model))
        if setup.optimizer is not None:
            setup.optimizer.step()

    return step


def weights_of(model: torch.nn.Module) -> list[RankParameter]:
    """Whole ones: what is shared out over the processes differs on purpose."""
    return [RankParameter(name, digest_of(one)) for name, one in _whole(model)]


def _norms(model: torch.nn.Module) -> dict[str, float]:
    found = {name: float(one.grad.norm()) for name, one in _whole(model) if one.grad is not None}
    return {name: norm for name, norm in found.items() if math.isfinite(norm)}


def _whole(model: torch.nn.Module) -> list[tuple[str, torch.Tensor]]:
    if any(type(module).__name__ == SHARING for module in model.modules()):
        return []
    named = [(name.removeprefix("module."), one) for name, one in model.named_parameters() if not hasattr(one, "ds_id")]
    return [(name, one) for name, one in named if not {type(one).__name__, type(one.data).__name__} & SHARED_OUT]
