"""Runs the user's generation on a few rows, freely or with the labels forced, in evaluation mode."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch, to_device
from probes.facts.core.failure import failure_of
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.progress_log import silence_transformers
from probes.facts.core.types import Failure
from probes.facts.generation.steering import GenerationStopped, Rows, SteeredGeneration

Generate = Callable[[Any, Any], Any]


@dataclass
class GenerationRun:
    """One run of the user's generation. `ids` is what it returned, `ids_read` the decoder's inputs."""

    steering: SteeredGeneration
    ids: list[list[int]] = field(default_factory=list)
    failure: Failure | None = None

    @property
    def ids_read(self) -> list[list[int]]:
        """One line for each row: of several beams the first, unless what was returned is more."""
        return self.steering.ids


@dataclass(frozen=True)
class GenerationRunner:
    """All that a run needs; `pass_seconds` is the time of one training step, the unit of cost."""

    model: torch.nn.Module
    generate: Generate
    batch: Any
    pass_seconds: float
    classes: int = 0

    def run(self, limit: int, passes: float, labels: Rows = (), end: int = 0, seed: int = 0) -> GenerationRun:
        """In evaluation mode, without gradients, for no longer than so many passes take."""
        seconds = max(passes * self.pass_seconds, 1.0)
        start = time.perf_counter()
        device = next((parameter.device for parameter in self.model.parameters()), torch.device("cpu"))
        with silence_transformers(), restore_afterwards(self.model), torch.no_grad():
            self.model.eval()
            torch.manual_seed(seed)
            with SteeredGeneration(self.model, limit, seconds, labels, end, self.classes) as steering:
                run = GenerationRun(steering)
                try:
                    run.ids = _listed(self.generate(self.model, to_device(copy_batch(self.batch), device)))
                except GenerationStopped:
                    run.ids = []
                except Exception as error:
                    run.failure = failure_of(error, self.model, "generation")
        count_time_as_passes(start, self.pass_seconds)
        return run


def count_time_as_passes(start: float, pass_seconds: float) -> None:
    """In passes of training, by the clock: what is generated token by token is no pass of its own."""
    pass_counter.count_passes((time.perf_counter() - start) / max(pass_seconds, 1e-3))


def _listed(ids: Any) -> list[list[int]]:
    ids = getattr(ids, "sequences", ids)
    if isinstance(ids, torch.Tensor):
        ids = ids.tolist()
    rows = [list(row) if hasattr(row, "__iter__") else [row] for row in ids]
    return [[int(token) for token in row] for row in rows]


def shortest_and_longest(labels: Rows, no_text: Collection[int] = ()) -> list[int]:
    """Two rows with different labels where there are such: a pair that any padding must tell apart.

    Where their prompts differ too, as of two tasks, a third with the prompt of the first: only the input parts these.
    """
    order = sorted(range(len(labels)), key=lambda row: (len(labels[row]), row))
    others = [row for row in order[::-1] if list(labels[row]) != list(labels[order[0]])]
    prompts = [list(takewhile(set(no_text).__contains__, row)) for row in labels]
    alike = [row for row in others if prompts[row] == prompts[order[0]]]
    return sorted({order[0], *others[:1], *alike[:1]}) if order else []


def truncate_at_eos(ids: Sequence[int], ends: Iterable[int]) -> tuple[int, ...]:
    """Up to the first end token, which is left in; what stands behind it is padding."""
    ends = set(ends)
    place = next((number for number, token in enumerate(ids) if token in ends), len(ids) - 1)
    return tuple(ids[: place + 1])
