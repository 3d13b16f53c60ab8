"""The distributed stage on two real processes, and the facts of a healthy one of them."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import diagnose
from diagnose.engine import discovery

FAULTS = [fault for fault in discovery.faults().items if fault.probe_id.startswith("DST")]
ROWS = TensorDataset(torch.randn(17, 4), torch.arange(17) % 2)


def look(rank_facts, processes=2, **more):
    """The findings of the stage, and why a probe did not look."""
    report = diagnose.preflight(stages=["distributed"], rank_facts=rank_facts, processes=processes, **more)
    assert not [outcome for outcome in report.outcomes if outcome.status == "crashed"], report.outcomes
    return report.findings, {outcome.probe: outcome.reason_chain for outcome in report.outcomes if not outcome.ran}


def loss_of(model, batch):
    return cross_entropy(model(batch[0]), batch[1])


def shared(rank, processes, rows=ROWS):
    return DataLoader(rows, batch_size=2, sampler=DistributedSampler(rows, processes, rank))


def healthy_rank(rank, processes, **more):
    model = nn.Linear(4, 2)  # of another seed in each process: the wrap sends those of rank 0
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = shared(rank, processes)
    return {"model": model, "train_batches": batches, "compute_loss": loss_of, "optimizer": optimizer, **more}


def only(facts):
    return {"rank_facts": facts["rank_facts"]}
