"""Faults of several processes are put into what each of them builds; their proofs run in a real group."""

import multiprocessing
import os
from collections.abc import Callable
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, drop_keys

PROCESSES = 2
Change = Callable[[Any, int, int], Facts]


def change_each_rank(facts: Facts, change: Change) -> Facts:
    """The facts of a run whose processes each have what change(setup, rank, processes) makes of theirs."""
    before = facts["rank_facts"]
    if len(os.sched_getaffinity(0)) < PROCESSES or "fork" not in multiprocessing.get_all_start_methods():
        raise NotApplicable("it needs two processes at once, and there is one core or no fork")

    def changed(rank: int, processes: int) -> Facts:
        return change(setup_of_rank(before, rank, processes), rank, processes)

    return {**facts, "rank_facts": changed, "processes": PROCESSES}


def setup_of_rank(rank_facts: Any, rank: int, processes: int) -> Any:
    from probes.facts.distributed.rank_setup import call_rank_facts, rank_setup

    return rank_setup(call_rank_facts(rank_facts, rank, processes), getattr(rank_facts, "aware", True))


def run_each_rank(facts: Facts, look: Callable[[Any, int], Any]) -> list[Any]:
    """The results of look(setup, rank) in each process of a group."""
    from probes.facts.distributed.process_group import answers_of

    rank_facts = facts["rank_facts"]
    return answers_of(lambda rank, processes: look(setup_of_rank(rank_facts, rank, processes), rank), PROCESSES)


def batches_differ(facts: Facts, name: str) -> bool:
    """Whether the epochs of the processes differ in `count`, their number of batches, or `first`, digests of some."""
    from probes.facts.distributed.rank_batches import batches_of

    epochs = run_each_rank(facts, lambda setup, rank: batches_of(setup.batches)[0])
    return len({getattr(epoch, name) for epoch in epochs}) > 1


def first_batch(setup: Any) -> Any:
    from probes.facts.distributed.rank_batches import batches_of

    return batches_of(setup.batches)[1][0]


def loader_of(setup: Any) -> Any:
    """The loader, without what accelerate puts around it."""
    return getattr(setup.batches, "base_dataloader", setup.batches)


def needs_loader(facts: Facts) -> None:
    from torch.utils.data import DataLoader, IterableDataset

    batches = getattr(facts["train_batches"], "base_dataloader", facts["train_batches"])
    if not isinstance(batches, DataLoader) or isinstance(batches.dataset, IterableDataset):
        raise NotApplicable("its batches do not come from a loader with a sampler")


def wrap(model: Any, find_unused_parameters: bool = True) -> Any:
    from torch.nn.parallel import DistributedDataParallel

    return DistributedDataParallel(model, find_unused_parameters=find_unused_parameters)


def wrapped_model(setup: Any) -> Any:
    """The model as a run has it, in its wrapper."""
    return setup.model if setup.wrapped else wrap(setup.model)


def facts_with_model(setup: Any, model: Any, **others: Any) -> Facts:
    """The facts of a process with another model and an optimiser for it; a step of the user's own would not know it."""
    from torch.optim import AdamW

    facts = drop_keys(setup.single_facts(), "training_step")
    return {**facts, "model": model, "optimizer": AdamW(model.parameters(), lr=1e-3), **others}


def weights_differ(facts: Facts) -> bool:
    """After one step, weights are not those of the first process."""
    return not all(run_each_rank(facts, lambda setup, rank: _equals_first_rank(setup)))


def _equals_first_rank(setup: Any) -> bool:
    import torch
    import torch.distributed as dist

    from probes.facts.distributed.rank_steps import steps_of

    steps_of(setup, [first_batch(setup)])
    apart = []
    for parameter in setup.inner.parameters():
        first = parameter.detach().clone()
        dist.broadcast(first, 0)
        apart.append(not torch.equal(first, parameter))
    return not any(apart)
