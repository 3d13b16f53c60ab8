"""Dataloaders: batches by length, sharded over processes, with workers that ignore Ctrl-C."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import BatchSampler, DataLoader, Subset

from trainer.data.length_sampler import LengthBatchSampler

if TYPE_CHECKING:
    from transformers import Seq2SeqTrainingArguments

    from trainer.config import Config
    from trainer.data.dataset import SplitDataset
    from trainer.models.bundle import Collate


class ShardedBatchSampler(BatchSampler):
    """Every n-th batch; `even` repeats the first batches, so that all processes make as many steps."""

    def __init__(self, batches: LengthBatchSampler, rank: int, processes: int, even: bool) -> None:
        self.batch_sampler, self.rank, self.processes, self.even = batches, rank, processes, even

    def set_epoch(self, epoch: int) -> None:
        """Another order for every epoch, the same on all processes."""
        self.batch_sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[list[int]]:
        batches = list(self.batch_sampler)
        if self.even and batches:
            batches += [batches[n % len(batches)] for n in range(-len(batches) % self.processes)]
        yield from batches[self.rank :: self.processes]

    def __len__(self) -> int:
        return len(range(self.rank, self._padded_length(), self.processes))

    def _padded_length(self) -> int:
        count = len(self.batch_sampler)
        return count + (-count % self.processes if self.even else 0)


def train_loader(
    config: Config, dataset: SplitDataset, collate: Collate, arguments: Seq2SeqTrainingArguments
) -> DataLoader:
    """Batches of like length in an order that depends on seed and epoch alone."""
    training, grouped = config.training, config.dataloader.group_by_length
    batches = LengthBatchSampler(
        dataset.lengths(),
        arguments.train_batch_size,
        training.seed,
        training.shuffle,
        by_length=grouped,
        on_epoch=getattr(dataset, "set_epoch", None),
    )
    shards = ShardedBatchSampler(batches, arguments.process_index, arguments.world_size, even=True)
    return DataLoader(dataset, batch_sampler=shards, **_options(collate, arguments))


def eval_loader(
    config: Config, dataset: SplitDataset, collate: Collate, arguments: Seq2SeqTrainingArguments
) -> DataLoader:
    """Every row once over all processes; with its own generator, so that the training's RNG is not used."""
    batches = LengthBatchSampler(_lengths(dataset), arguments.eval_batch_size, config.training.seed)
    shards = ShardedBatchSampler(batches, arguments.process_index, arguments.world_size, even=False)
    return DataLoader(dataset, batch_sampler=shards, generator=torch.Generator(), **_options(collate, arguments))


def _lengths(dataset: SplitDataset | Subset) -> list[float]:
    """Of the rows of a set, or of some of its rows."""
    if not isinstance(dataset, Subset):
        return dataset.lengths()
    lengths = _lengths(dataset.dataset)  # type: ignore[arg-type]  # torch's type: any dataset
    return [lengths[index] for index in dataset.indices]


def leave_signals_to_parent(worker: int) -> None:
    """Ignore SIGINT in a worker: a terminal sends Ctrl-C to all, and the step is still finished."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _options(collate: Collate, arguments: Seq2SeqTrainingArguments) -> dict[str, Any]:
    return {
        "collate_fn": collate,
        "num_workers": arguments.dataloader_num_workers,
        "pin_memory": arguments.dataloader_pin_memory,
        "prefetch_factor": arguments.dataloader_prefetch_factor,
        "worker_init_fn": leave_signals_to_parent,
    }
