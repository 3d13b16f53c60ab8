"""How the training loader takes its rows, and what its workers draw."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require
from probes.facts.dataloader.types import RowOrder, WorkerDraws


@provider
def row_order(train_batches: Any) -> RowOrder:
    from probes.facts.core.batches import unwrap_loader
    from probes.facts.core.fork import CannotFork, ChildRaised
    from probes.facts.dataloader.worker_randomness import is_map_style, order_of

    loader = unwrap_loader(train_batches)
    if not is_map_style(loader):
        raise NotApplicable("train_batches is no DataLoader over rows with numbers: its order cannot be asked for")
    try:
        order = order_of(loader)
    except CannotFork as reason:
        raise NotApplicable(f"the order of the rows cannot be asked for without a trace: {reason}") from reason
    except ChildRaised as reason:
        raise Unavailable(f"the order of the rows could not be asked for: {reason}") from reason
    if order.batches < 2:
        raise NotApplicable("an epoch is a single batch")
    return order


@provider
def worker_draws(train_batches: Any) -> WorkerDraws:
    from probes.facts.core.batches import unwrap_loader
    from probes.facts.core.fork import CannotFork, ChildRaised
    from probes.facts.dataloader.worker_randomness import is_map_style, measure_worker_draws

    loader = unwrap_loader(train_batches)
    if not is_map_style(loader) or loader.batch_sampler is None:
        raise NotApplicable("train_batches is no DataLoader that makes batches of rows with numbers")
    require(loader.num_workers, "the loader has no workers: generators are not copied")
    try:
        return measure_worker_draws(loader)
    except CannotFork as reason:
        raise NotApplicable(str(reason)) from reason
    except ChildRaised as error:
        raise Unavailable(f"the workers could not draw: {error}") from error
