"""Loaders: batches by length, shared out over processes, with workers that leave Ctrl-C to their parent."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import BatchSampler, DataLoader

from trainer.data.length_sampler import LengthBatchSampler

if TYPE_CHECKING:
    from torch.utils.data import Dataset
    from transformers import Seq2SeqTrainingArguments

    from trainer.config import Config
    from trainer.models.bundle import Collate


class ShardedBatchSampler(BatchSampler):
    """Every n-th batch. `even` repeats the first batches at the end, so that all processes step equally often."""

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
        return len(range(self.rank, self._all(), self.processes))

    def _all(self) -> int:
        count = len(self.batch_sampler)
        return count + (-count % self.processes if self.even else 0)


def train_loader(config: Config, dataset: Dataset, collate: Collate, arguments: Seq2SeqTrainingArguments) -> DataLoader:
    """Batches of like length in an order that depends on seed and epoch alone."""
    training, grouped = config.training, config.dataloader.group_by_length
    batches = LengthBatchSampler(
        dataset.lengths(), arguments.train_batch_size, training.seed, training.shuffle, by_length=grouped
    )
    shards = ShardedBatchSampler(batches, arguments.process_index, arguments.world_size, even=True)
    return DataLoader(dataset, batch_sampler=shards, **_options(collate, arguments))


def eval_loader(config: Config, dataset: Dataset, collate: Collate, arguments: Seq2SeqTrainingArguments) -> DataLoader:
    """Every row once, over all processes together; the generator is its own, so training draws the same numbers."""
    batches = LengthBatchSampler(dataset.lengths(), arguments.eval_batch_size, config.training.seed)
    shards = ShardedBatchSampler(batches, arguments.process_index, arguments.world_size, even=False)
    return DataLoader(dataset, batch_sampler=shards, generator=torch.Generator(), **_options(collate, arguments))


def leave_signals_to_parent(worker: int) -> None:
    """A terminal sends Ctrl-C to the workers too; the batch they are making is still wanted."""
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
