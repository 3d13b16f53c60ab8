"""Faults of several processes are put into what each of them builds; whether they are in is asked in a real group."""

import multiprocessing
import os
from collections.abc import Callable
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts

PROCESSES = 2
Change = Callable[[Any, int, int], Facts]


def change_each_rank(facts: Facts, change: Change) -> Facts:
    """The facts of a run whose processes each have what change(scene, rank, processes) makes of theirs."""
    before = facts["rank_facts"]
    if len(os.sched_getaffinity(0)) < PROCESSES or "fork" not in multiprocessing.get_all_start_methods():
        raise NotApplicable("it needs two processes at once, and there is one core or no fork")

    def changed(rank: int, processes: int) -> Facts:
        return change(scene_of_rank(before, rank, processes), rank, processes)

    return {**facts, "rank_facts": changed, "processes": PROCESSES}


def scene_of_rank(rank_facts: Any, rank: int, processes: int) -> Any:
    from probes.facts.distributed.rank_setup import call_rank_facts, rank_setup

    return rank_setup(call_rank_facts(rank_facts, rank, processes), getattr(rank_facts, "aware", True))


def ask_each_rank(facts: Facts, look: Callable[[Any, int], Any]) -> list[Any]:
    """What look(scene, rank) answers in each process of a group."""
    from probes.facts.distributed.process_group import answers_of

    rank_facts = facts["rank_facts"]
    return answers_of(lambda rank, processes: look(scene_of_rank(rank_facts, rank, processes), rank), PROCESSES)


def drawn_by(scene: Any) -> Any:
    """How many batches its epoch has, and digests of the first ones."""
    from probes.facts.distributed.rank_batches import batches_of

    return batches_of(scene.batches)[0]


def first_batch(scene: Any) -> Any:
    from probes.facts.distributed.rank_batches import batches_of

    return batches_of(scene.batches)[1][0]


def loader_of(scene: Any) -> Any:
    """The loader, without what accelerate puts around it."""
    return getattr(scene.batches, "base_dataloader", scene.batches)


def needs_loader(facts: Facts) -> None:
    from torch.utils.data import DataLoader, IterableDataset

    batches = getattr(facts["train_batches"], "base_dataloader", facts["train_batches"])
    if not isinstance(batches, DataLoader) or isinstance(batches.dataset, IterableDataset):
        raise NotApplicable("its batches do not come from a loader with a sampler")


def wrapped(model: Any, **how: Any) -> Any:
    from torch.nn.parallel import DistributedDataParallel

    return DistributedDataParallel(model, **how)


def drift_apart(facts: Facts) -> bool:
    """After one step, by asking the first process for its weights."""
    return not all(ask_each_rank(facts, lambda scene, rank: same_as_first(scene)))


def same_as_first(scene: Any) -> bool:
    import torch
    import torch.distributed as dist

    from probes.facts.distributed.rank_steps import steps_of

    steps_of(scene, [first_batch(scene)])
    apart = []
    for parameter in scene.inner.parameters():
        first = parameter.detach().clone()
        dist.broadcast(first, 0)
        apart.append(not torch.equal(first, parameter))
    return not any(apart)
