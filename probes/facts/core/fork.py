"""Runs a function in a forked child: generators, workers and caches advance there and not here."""

import multiprocessing
import pickle
import signal
import traceback
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Self, TypeVar

import torch

from diagnose.common.forked_workers import WorkerFailure, can_fork, run_forked
from probes.facts.core.failure import one_line, user_line
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.types import Failure

Value = TypeVar("Value")
SECONDS = 120.0


class ChildRaised(Exception):
    """The function raised in the child; its error by name, text, line and trace."""

    def __init__(self, error: str, message: str, line: str = "", trace: str = "") -> None:
        super().__init__(error, message, line, trace)  # as pickle needs them
        self.error, self.message, self.line, self.trace = error, message, line, trace

    def __str__(self) -> str:
        return f"{self.error}: {self.message}"

    def failure(self, phase: str) -> Failure:
        return Failure(phase, self.error, self.message, line=self.line, trace=self.trace)

    @classmethod
    def of(cls, error: BaseException) -> Self:
        trace = "".join(traceback.format_exception(error))
        return cls(type(error).__name__, one_line(str(error)), user_line(error), trace)


class TimedOut(ChildRaised):
    """Nothing came back in time: slow, stuck, or stuck only because it was forked (thread pools do not survive)."""


class CannotFork(Exception):
    """No child can be forked here, or its result cannot be pickled."""


SPARSE = 4  # a view of fewer than one in four values is made contiguous, to save the memory


class _Pickler(pickle.Pickler):
    """Pickles a view into a large storage without the rest of the storage, and with its own strides.

    A forward that calls view() raises on `labels[:, 1:]`: what the user's batch does, ours must do too.
    """

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.untyped_storage().nbytes() > value.nbytes:
            return _without_the_rest(value.detach()).__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        return NotImplemented


def _without_the_rest(value: torch.Tensor) -> torch.Tensor:
    span = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
    if not value.numel() or span > SPARSE * value.numel():
        return value.clone()
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device).copy_(value)


def run_in_fork(work: Callable[[], Value], seconds: float = SECONDS) -> Value:
    """The function's result. ChildRaised when it raises, dies or takes too long; CannotFork where there is no way."""
    if not can_fork() or multiprocessing.current_process().daemon:
        raise CannotFork("this platform or process cannot fork a child")
    ((_, answer),) = run_forked({0: partial(_pickled, work)}, 1, seconds, isolated=False)
    if isinstance(answer, WorkerFailure):
        timed_out = TimedOut("TimeoutError", f"no result within {seconds:.0f} s")
        code = answer.exit_code
        raise timed_out if code is None else ChildRaised("ProcessDied", f"the process ended with {_ending(code)}")
    if isinstance(answer, Exception):
        raise answer
    value: Value = pickle.loads(answer)  # our own child wrote it
    return value


def run_apart(work: Callable[[], Value], *touched: Any, seconds: float = SECONDS) -> Value:
    """In a child, since loading and collating may draw at random and count; else here, with these objects restored."""
    try:
        return run_in_fork(work, seconds)
    except CannotFork:
        with restore_afterwards(others=touched):
            return work()


def run_polars(work: Callable[[], Value]) -> Value:
    """In a child, unless polars has run here: it keeps threads, and a process forked later would wait for them."""
    return work() if _polars_has_run() else run_apart(work)


def _polars_has_run() -> bool:
    """By the names of its threads; where there is no /proc, nothing is forked for it."""
    tasks = list(Path("/proc/self/task").glob("*/comm"))
    return not tasks or any(task.read_text().startswith("polars-0") for task in tasks)


def _pickled(work: Callable[[], Any]) -> bytes | ChildRaised | CannotFork:
    try:
        value = work()
    except BaseException as error:
        if "forked subprocess" in str(error):
            return CannotFork("the data is prepared on the GPU, which a forked process cannot use")
        return ChildRaised.of(error)
    try:
        buffer = BytesIO()
        _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
        return buffer.getvalue()
    except Exception as error:
        return CannotFork(f"a batch cannot be sent between processes ({error})")


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
