"""Section 11: what goes wrong between processes."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from tests.zoo.failures._models import Tagger, bands
from tests.zoo.failures.cases import failure
from tests.zoo.failures.parameters import commands
from tests.zoo.registry import Facts

CRITERION = nn.CrossEntropyLoss()


def loss_of(model: Any, batch: Any) -> torch.Tensor:
    return CRITERION(model(batch[0]), batch[1])


def loop_of(model: Any, batches: Any) -> Facts:
    """The facts of one process: its own training step beside its loss."""
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)

    def training_step(batch: Any) -> float:
        model.train()
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()
        return float(loss)

    facts = {"model": model, "train_batches": batches, "compute_loss": loss_of, "optimizer": optimizer}
    return {**facts, "training_step": training_step}


def shared(rank: int, processes: int, model: nn.Module | None = None, wrapped: bool = True, **more: Any) -> Facts:
    """Rows shared out by a sampler, and the model wrapped."""
    torch.manual_seed(7)
    model, rows = model or Tagger(), bands(96)
    batches = DataLoader(rows, batch_size=8, sampler=DistributedSampler(rows, processes, rank))
    return loop_of(DistributedDataParallel(model, **more) if wrapped else model, batches)


@failure("dist_uneven_batches", "DST001", "DST004", "DST005")
def ranks_of_different_length(broken: bool) -> Facts:
    """Each process reads shards of its own, of which one has fewer rows."""

    def rank_facts(rank: int, processes: int) -> Facts:
        facts = shared(rank, processes)
        rows = bands(96)
        mine = rows[: 48 - 16 * rank] if broken else rows[48 * rank : 48 * rank + 48]
        return facts | {"train_batches": DataLoader(mine, batch_size=8, shuffle=True)}

    return commands(Tagger()) | {"processes": 2, "rank_facts": rank_facts}


class Branching(Tagger):
    """A branch that the loss does not use."""

    def __init__(self, used: bool) -> None:
        super().__init__()
        self.branch, self.used = nn.Linear(32, 4), used

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        hidden = self.lstm(frames)[0].mean(1)
        return self.head(hidden) + (self.branch(hidden) if self.used else 0)


@failure("dist_unused_parameters", "DST004", "GRD001", "GRD024", short=True)
def branch_outside_the_loss(broken: bool) -> Facts:
    """DDP waits for the gradient of a branch that is not in the loss."""

    def rank_facts(rank: int, processes: int) -> Facts:
        return shared(rank, processes, Branching(not broken))

    return commands(Branching(not broken)) | {"processes": 2, "rank_facts": rank_facts}


@failure("dist_ranks_differ", "DST003", "DST002")
def model_is_not_wrapped(broken: bool) -> Facts:
    """Each process trains a model of its own."""

    def rank_facts(rank: int, processes: int) -> Facts:
        facts = shared(rank, processes, wrapped=not broken)
        torch.manual_seed(rank)
        return facts

    return commands(Tagger()) | {"processes": 2, "rank_facts": rank_facts}


@failure("dist_ranks_draw_the_same_rows", "DST002")
def no_distributed_sampler(broken: bool) -> Facts:
    """Every process reads all rows in the same order."""

    def rank_facts(rank: int, processes: int) -> Facts:
        facts = shared(rank, processes)
        order = torch.Generator().manual_seed(3)
        loader = DataLoader(bands(96), batch_size=8, shuffle=True, generator=order)
        return facts | {"train_batches": loader} if broken else facts

    return commands(Tagger()) | {"processes": 2, "rank_facts": rank_facts}


@failure("dist_generate_ragged_gather", "DST005")
def gathered_predictions_of_different_lengths(broken: bool) -> Facts:
    """all_gather of generated ids that are not padded to one length."""

    def rank_facts(rank: int, processes: int) -> Facts:
        facts = shared(rank, processes)

        def evaluate() -> dict[str, float]:
            ids = torch.full((4, 5 if not broken else 5 + 3 * rank), rank)
            found = [torch.empty_like(ids) for _ in range(processes)]
            dist.all_gather(found, ids)
            return {"mean": float(torch.cat(found).float().mean())}

        return facts | {"evaluate": evaluate}

    return commands(Tagger()) | {"processes": 2, "rank_facts": rank_facts}


class Epochs:
    """A loader that tells its sampler which epoch it is."""

    def __init__(self, loader: Any) -> None:
        self.loader, self.epoch = loader, 0

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Any:
        self.loader.sampler.set_epoch(self.epoch)
        self.epoch += 1
        return iter(self.loader)


@failure("dist_no_set_epoch", "DAT044", "DAT046", "DST002", short=True)
def set_epoch_is_never_called(broken: bool) -> Facts:
    """A DistributedSampler shuffles by its epoch, which stays 0."""
    rows = bands(96)
    loader = DataLoader(rows, batch_size=8, sampler=DistributedSampler(rows, num_replicas=2, rank=0, shuffle=True))
    return commands(Tagger()) | {"train_batches": loader if broken else Epochs(loader)}
