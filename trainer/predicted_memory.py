"""What a run does with a prediction of its memory; the command hands over who predicts, `diagnose.api`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from diagnose.common.errors import InputError

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.data.subset import Subset

LARGEST = 64  # items; a larger batch wants another learning rate

log = logging.getLogger(__name__)


def with_auto_batch_size(resolved: Resolved, fits: Callable[[dict[str, Any]], bool]) -> Resolved:
    """The configuration with a size; as it is where it has one. Powers of two, tried by bisection."""
    if not resolved.config.training.auto_batch_size:
        return resolved
    from trainer.facts_without_weights import facts_without_weights

    sizes = [2**power for power in range(LARGEST.bit_length())]
    low, high = 0, len(sizes)  # so many of them fit, at least and at most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(facts_without_weights(with_batch_size(resolved, sizes[middle - 1]))):
            low = middle
        else:
            high = middle - 1
    if not low:
        raise InputError(
            "training.batch_size is auto, but not even a batch of 1 is predicted to fit; `diagnose memory --config "
            f"{resolved.path} --set training.batch_size=1` lists what would make it fit"
        )
    log.info("training.batch_size: %d, the largest that is predicted to fit", sizes[low - 1])
    return with_batch_size(resolved, sizes[low - 1])


def with_batch_size(resolved: Resolved, size: int) -> Resolved:
    """The same run with batches of this size."""
    training = resolved.config.training.model_copy(update={"batch_size": size, "auto_batch_size": False})
    return replace(resolved, config=resolved.config.model_copy(update={"training": training}))


def described(resolved: Resolved, epochs: float | None, subset: Subset, api: Any) -> Iterator[str]:
    """What the run would do, and how long it may take."""
    from trainer.dry_run import planned
    from trainer.loop.run import with_epochs

    yield from planned(resolved.config, epochs, subset)
    yield from duration_lines(with_epochs(resolved, epochs), api)


def duration_lines(resolved: Resolved, api: Any) -> Iterator[str]:
    """How long the run may take on this machine; nothing where it cannot be estimated."""
    from trainer.facts_without_weights import sizes_and_shapes

    found = api.duration(sizes_and_shapes(resolved))
    if not isinstance(found, str):
        yield f"{'duration:':<15}{found}"


@contextmanager
def first_change_named(resolved: Resolved, api: Any) -> Iterator[None]:
    """Adds to an out-of-memory error what `diagnose memory` ranks first."""
    from trainer.facts_without_weights import sizes_and_shapes
    from trainer.loop.runtime.out_of_memory import OutOfMemory

    try:
        yield
    except OutOfMemory as error:
        first = None
        with suppress(Exception):  # the sentence of the run itself must not be lost
            first = next(iter(api.memory(**sizes_and_shapes(resolved)).changes), None)
        if first is None:
            raise
        hint = f"`diagnose memory --config {resolved.path}` ranks first: {first.setting}"
        raise OutOfMemory(f"{error.message}; {hint}") from error
