"""Out of memory as one sentence: the peak, what is free, the largest batch, which settings to lower."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError

if TYPE_CHECKING:
    from trainer.config import Config
    from trainer.models.bundle import Batch

SIGNS = (
    "DefaultCPUAllocator: can't allocate memory",
    "not enough memory",
    "out of memory",
    "Cannot allocate memory",
    "killed by signal: Killed",  # what a data worker that the system ended leaves behind
)


class OutOfMemory(InputError):
    """Memory ran out; the command adds what is predicted to lower the peak."""


class LargestBatch:
    """The largest batch seen so far, by the number of values in its largest tensor."""

    def __init__(self) -> None:
        self.size, self.name = 0, ""
        self.shape: tuple[int, ...] = ()

    def update(self, *batches: Batch) -> None:
        """Read shapes only: nothing is copied or waited for."""
        for batch in batches:
            name, tensor = max(batch.items(), key=lambda item: item[1].numel())
            if tensor.numel() > self.size:
                self.size, self.name, self.shape = tensor.numel(), name, tuple(tensor.shape)

    def __str__(self) -> str:
        return f"{self.name} {' x '.join(map(str, self.shape))}" if self.size else "none"


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out, on any device."""
    return isinstance(error, MemoryError) or any(sign in str(error) for sign in SIGNS)


def out_of_memory(error: BaseException, largest: LargestBatch, config: Config, evaluating: bool) -> OutOfMemory:
    """The error with its remedy; frees the tensors of the failed step first."""
    traceback.clear_frames(error.__traceback__)
    place, peak, free = _gpu() or _host()
    return OutOfMemory(
        f"out of memory on the {place} during {'evaluation' if evaluating else 'training'}: peak {peak / 1e6:,.0f} "
        f"MB, {free / 1e6:,.0f} MB free, largest batch so far {largest}; lower {_settings(config, evaluating)}, then "
        "continue with --resume auto"
    )


def peak_memory() -> int:
    """Peak memory in bytes: of the GPU if there is one, else of this process."""
    return (_gpu() or _host())[1]


def memory_text() -> str:
    """Memory in use and free: of the GPU, by all programs; without one, of this process."""
    import psutil
    import torch

    if torch.cuda.is_available():
        free, total = torch.cuda.mem_get_info()
        return f"GPU memory {(total - free) / 1e6:,.0f} MB used, {free / 1e6:,.0f} MB free"
    used, free = psutil.Process().memory_info().rss, psutil.virtual_memory().available
    return f"process memory {used / 1e6:,.0f} MB, {free / 1e6:,.0f} MB free, no GPU"


def _settings(config: Config, evaluating: bool) -> str:
    training = config.training
    now = training.eval_batch_size or training.batch_size
    advice = [f"training.eval_batch_size (now {now})"] if evaluating else [_smaller_batches(config)]
    if config.model.type != "mt5":
        advice.append(f"audio.max_length_seconds (now {config.audio.max_length_seconds:g})")
    if evaluating and training.generation_num_beams > 1:
        advice.append(f"training.generation_num_beams (now {training.generation_num_beams})")
    if config.model.chunk_size:
        advice.append(f"model.chunk_size (now {config.model.chunk_size})")
    if not evaluating and config.model.type != "mt5" and not config.model.freeze_encoder:
        advice.append("or set model.freeze_encoder to true")
    if not evaluating and not training.gradient_checkpointing:
        advice.append("or set training.gradient_checkpointing to true")
    return ", ".join(advice)


def _smaller_batches(config: Config) -> str:
    size, steps = config.training.batch_size, config.training.gradient_accumulation_steps
    if size == 1:
        return "the size of the model (training.batch_size is 1 already)"
    return f"training.batch_size (now {size}; half of it with gradient_accumulation_steps {steps * 2} is equivalent)"


def _gpu() -> tuple[str, int, int] | None:
    import torch

    if not torch.cuda.is_available():
        return None
    return "GPU", torch.cuda.max_memory_allocated(), torch.cuda.mem_get_info()[0]


def _host() -> tuple[str, int, int]:
    import psutil

    process = psutil.Process()
    if os.name != "posix":
        return "CPU", process.memory_info().rss, psutil.virtual_memory().available
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    free = psutil.virtual_memory().available
    room = free if limit == resource.RLIM_INFINITY else limit - process.memory_info().vms
    return "CPU", peak, max(0, min(free, room))
