"""Faults of several processes: each is named, and blamed on several only where one alone is sound."""

import os
import signal

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

import diagnose
from probes.healthy import healthy
from tests.probes.distributed.support import FAULTS, ROWS, healthy_rank, look, loss_of, only, shared


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_is_named(fault):
    facts = fault.inject(healthy("hybrid"))
    assert fault.is_present(facts) and not fault.is_present(healthy("hybrid"))
    findings, _ = look(**only(facts))
    assert {finding.probe for finding in findings} == {fault.probe_id}


def test_every_process_going_through_all_rows_is_a_warning():
    def rank_facts(rank, processes):
        return {"train_batches": DataLoader(ROWS, batch_size=2, shuffle=True)}

    ((finding,), _) = look(rank_facts)
    assert (finding.probe, finding.severity) == ("DST002", "warning") and "all 17 rows" in finding.message


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return (torch.tensor(number) for number in range(self.count))


@pytest.mark.parametrize(
    ("counts", "steps", "said"),
    [
        ((4, 6), None, "4 and 6 batches"),
        ((3, 10_000), 100, "3 and at least 500 batches"),
        ((4, 6), 4, ""),  # the run ends before
        ((800, 900), None, ""),  # further than anybody counts
    ],
)
def test_streams_are_counted_up_to_a_limit(counts, steps, said):
    def rank_facts(rank, processes):
        return {"train_batches": DataLoader(Stream(counts[rank]), batch_size=None)}

    findings, _ = look(rank_facts, **({"total_steps": steps} if steps else {}))
    told = [finding.message for finding in findings if finding.probe == "DST001"]
    assert bool(told) == bool(said) and all(said in message for message in told)


def test_a_process_that_dies_or_raises_is_told_with_its_rank():
    def dies(rank, processes):
        return healthy_rank(rank, processes, evaluate=lambda: os.kill(os.getpid(), signal.SIGKILL) if rank else {})

    ((finding,), _) = look(dies)
    assert (finding.probe, finding.where) == ("DST005", "rank 1") and "its process exited with -9" in finding.message

    def raises(rank, processes):
        def step(batch):
            if rank:
                raise ValueError("there is no such wheel")
            torch.distributed.all_reduce(torch.ones(1))

        return healthy_rank(rank, processes, training_step=step)

    ((finding,), unlooked) = look(raises)
    assert finding.probe == "DST004" and "rank 1: the step raised ValueError: there is no such wheel" in finding.message
    assert {"DST003", "DST005"} <= set(unlooked)


def test_what_is_not_known_in_one_process_is_not_blamed_on_several():
    def without_a_loss(rank, processes):
        return {"model": nn.Linear(4, 2), "train_batches": shared(rank, processes)}

    findings, unlooked = look(without_a_loss)
    assert not findings and "pass compute_loss" in unlooked["DST003"] and "pass compute_loss" in unlooked["DST004"]

    def not_yet_wrapped(rank, processes):
        return healthy_rank(
            rank, processes, compute_loss=lambda model, batch: model.weight.sum() + loss_of(model, batch)
        )

    not_yet_wrapped.aware = False
    findings, unlooked = look(not_yet_wrapped)
    assert not findings and "does not accept a wrapped model" in unlooked["DST003"]
    assert "may not be sharded yet" in unlooked["DST002"]
    not_yet_wrapped.aware = True
    ((finding,), _) = look(not_yet_wrapped)
    assert finding.probe == "DST004" and "has no attribute 'weight'" in finding.message


def test_facts_that_cannot_be_built_block_and_never_pass():
    def rank_facts(rank, processes):
        raise OSError("the disk is gone")

    report = diagnose.preflight(stages=["distributed"], rank_facts=rank_facts, processes=2)
    assert {outcome.status for outcome in report.outcomes} == {"blocked"} and report.exit_code == 2
    assert "OSError: the disk is gone" in report.outcomes[0].reason
