"""Several processes of the run, started for real: what each draws, holds after a step, and makes of an evaluation."""

import multiprocessing
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require
from probes.facts.distributed.types import Rank, RankBatches, Ranks, RankSteps


@provider
def ranks(rank_facts: Any, processes: int) -> Ranks:
    """Every process builds its own facts, in a group on the CPU of this machine."""
    import torch

    from probes.facts.distributed.ranks import measure_ranks

    require(processes > 1, "the run has one process")
    if "fork" not in multiprocessing.get_all_start_methods() or multiprocessing.current_process().daemon:
        raise NotApplicable("this platform or process cannot fork: the ranks cannot be started here")
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        raise NotApplicable("this torch build has no gloo backend")
    require(not torch.cuda.is_initialized(), "this process uses the GPU already, and a forked one cannot")
    found = measure_ranks(rank_facts, processes)
    if stop := found.stopped("building"):
        raise Unavailable(f"its facts could not be built with several processes: {stop}")
    return found


@provider
def rank_batches(ranks: Ranks) -> tuple[RankBatches, ...]:
    """The epoch of every process."""
    _tried(ranks, "drawing")
    return tuple(rank.batches for rank in ranks.ranks if rank.batches is not None)


@provider
def rank_rows(ranks: Ranks, rank_batches: tuple[RankBatches, ...]) -> tuple[RankBatches, ...]:
    """The same, where it is known that each process has the loader that it will draw from."""
    require(
        all(rank.prepared for rank in ranks.ranks),
        "the model is not wrapped yet, and the DataLoader may not be sharded yet: pass the DataLoader that one rank "
        "uses",
    )
    return rank_batches


@provider
def rank_steps(ranks: Ranks) -> tuple[RankSteps, ...]:
    """The weights of every process, before and after two steps."""
    _tried(ranks, "step")
    steps = tuple(rank.steps for rank in ranks.ranks if rank.steps is not None)
    require(any(one.weights for one in steps), "the weights are sharded over the processes")
    return steps


@provider
def distributed_step(ranks: Ranks) -> Ranks:
    """The group, where all of it came to its steps."""
    return _came_to(ranks, "step", "drawing")


@provider
def distributed_evaluation(ranks: Ranks) -> Ranks:
    """The group, where all of it came to its evaluation."""
    return _came_to(ranks, "evaluation", "step")


def _came_to(ranks: Ranks, phase: str, before: str) -> Ranks:
    require(ranks.reached(before), ranks.root, Unavailable)
    _untried(ranks.ranks, phase)
    stop = ranks.stopped(phase)
    if stop and stop.how == "late":
        raise NotApplicable(f"{phase}: {stop}")
    return ranks


def _tried(ranks: Ranks, phase: str) -> None:
    require(ranks.reached(phase), ranks.root, Unavailable)
    _untried(ranks.ranks, phase)


def _untried(ranks: tuple[Rank, ...], phase: str) -> None:
    reason = next((rank.untried[phase] for rank in ranks if phase in rank.untried), None)
    require(not reason, reason)
