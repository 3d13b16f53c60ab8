"""How the training loader takes its rows, and what its workers draw."""

from dataclasses import replace
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require
from probes.facts.dataloader.types import RowOrder, WorkerDraws


@provider(priority=2)
def train_dataset(train_batches: Any) -> Any:
    """That of the DataLoader, where nobody gave it."""
    return _dataset(train_batches, "train_batches")


@provider(priority=2)
def eval_dataset(eval_batches: Any) -> Any:
    return _dataset(eval_batches, "eval_batches")


@provider(priority=2)
def collate(train_batches: Any) -> Any:
    """That of the DataLoader, where nobody gave it."""
    from probes.facts.core.batches import unwrap_loader

    _dataset(train_batches, "train_batches")
    loader = unwrap_loader(train_batches)
    require(loader.batch_sampler is not None, "the DataLoader creates no batches: its dataset does")
    return loader.collate_fn


def _dataset(batches: Any, name: str) -> Any:
    from probes.facts.core.batches import unwrap_loader
    from probes.facts.dataloader.worker_randomness import is_map_style

    loader = unwrap_loader(batches)
    require(is_map_style(loader), f"{name} is not a DataLoader over an indexed dataset")
    return loader.dataset


@provider
def row_order(train_batches: Any, trainer: Any = None) -> RowOrder:
    """A Trainer that takes rows in order on purpose: neighbors may belong together."""
    from probes.facts.core.batches import unwrap_loader
    from probes.facts.core.fork import CannotFork, ChildRaised
    from probes.facts.dataloader.epoch_calls import calls_set_epoch
    from probes.facts.dataloader.worker_randomness import is_map_style, order_of

    strategy = getattr(getattr(trainer, "args", None), "train_sampling_strategy", None)
    require(strategy != "sequential", "train_sampling_strategy is sequential: rows are taken in order on purpose")
    loader = unwrap_loader(train_batches)
    if not is_map_style(loader):
        raise NotApplicable("train_batches is not a DataLoader over an indexed dataset: its order is unknown")
    try:
        order = require(order_of(loader), "the sampler draws items of its own, not numbers of rows")
    except CannotFork as reason:
        raise NotApplicable(f"the row order cannot be read without side effects: {reason}") from reason
    except ChildRaised as reason:
        raise Unavailable(f"the row order could not be read: {reason}") from reason
    if order.batches < 2:
        raise NotApplicable("an epoch is a single batch")
    return replace(order, set_epoch_is_called=calls_set_epoch() if order.waits and trainer is None else None)


@provider
def worker_draws(train_batches: Any) -> WorkerDraws:
    from probes.facts.core.batches import unwrap_loader
    from probes.facts.core.fork import CannotFork, ChildRaised
    from probes.facts.dataloader.worker_randomness import is_map_style, measure_worker_draws

    loader = unwrap_loader(train_batches)
    if not is_map_style(loader) or loader.batch_sampler is None:
        raise NotApplicable("train_batches is not a DataLoader that batches an indexed dataset")
    require(loader.num_workers, "the DataLoader has no workers: generators are not copied")
    try:
        return measure_worker_draws(loader)
    except CannotFork as reason:
        raise NotApplicable(str(reason)) from reason
    except ChildRaised as error:
        raise Unavailable(f"the workers could not draw: {error}") from error
