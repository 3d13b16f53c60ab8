"""What this machine cannot do, found before anything is built: too many loader workers, a model beyond memory."""

import os
import resource
from collections.abc import Iterator

import psutil

from diagnose.common.errors import InputError
from trainer.config.load import Resolved
from trainer.config.schema import Config

WORKERS_PER_PROCESSOR = 8  # more of them only wait for a processor, and each holds its batches in memory
BYTES = 4  # of a parameter in float32


def require_possible(resolved: Resolved) -> Resolved:
    """The configuration itself; refuses one that asks for more than this machine has."""
    for key, problem in _problems(resolved.config):
        source = resolved.sources.get(key)
        raise InputError(f"{source}: {key} {problem}" if source else f"{key} {problem}")
    return resolved


def _problems(config: Config) -> Iterator[tuple[str, str]]:
    workers, most = config.dataloader.num_workers, WORKERS_PER_PROCESSOR * (os.cpu_count() or 1)
    if workers > most:
        yield (
            "dataloader.num_workers",
            f"is {workers:,}; expected at most {most}, {WORKERS_PER_PROCESSOR} per processor",
        )
    needed, memory = BYTES * least_parameters(config), _memory()
    if needed > memory:
        sizes = f"the weights alone need {needed / 1e9:,.1f} GB, and this machine has {memory / 1e9:,.1f} GB"
        yield "model.random", f"makes a model that is too large: {sizes}; lower hidden, layers, ffn or vocabulary"


def least_parameters(config: Config) -> int:
    """A lower bound: the matrices of attention and feed-forward layers, and one table of embeddings."""
    sizes = config.model.random
    if sizes is None:
        return 0
    layer = 4 * sizes.hidden**2 + 2 * sizes.hidden * sizes.ffn
    pieces = sizes.vocabulary if isinstance(sizes.vocabulary, int) else 0
    return (sizes.layers + sizes.decoder_layers) * layer + pieces * sizes.hidden


def _memory() -> int:
    """What the machine has, or what `ulimit -v` leaves of it."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    total = psutil.virtual_memory().total
    return total if limit == resource.RLIM_INFINITY else min(total, limit)
