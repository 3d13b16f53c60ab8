"""Errors of a machine that runs out of memory or disk space."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from trainer.loop.runtime.disk_space import disk_full_error, disk_full_reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainer.loop.trainer import RunTrainer


@contextmanager
def explain_resource_errors(trainer: RunTrainer) -> Iterator[None]:
    """Turn out-of-memory and disk-full errors into one sentence."""
    from trainer.loop.runtime.out_of_memory import is_out_of_memory, out_of_memory

    try:
        yield
    except (MemoryError, RuntimeError, OSError) as error:
        if is_out_of_memory(error):
            raise out_of_memory(error, trainer.largest_batch, trainer.config, trainer.in_evaluation) from error
        reason = disk_full_reason(error)
        if reason:
            raise disk_full_error(trainer.run, trainer.needed_bytes(), "the run", reason) from error
        raise
