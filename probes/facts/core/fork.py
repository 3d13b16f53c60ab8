"""Runs a function in a forked child: whatever it moves on (generators, workers, caches) moves on there and not here."""

import multiprocessing
import pickle
import signal
import traceback
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any, Self

import torch

from diagnose.common.forked_workers import WorkerFailure, can_fork, run_forked
from probes.facts.core.failure import one_line, user_line
from probes.facts.core.observer import restore_afterwards


class ChildRaised(Exception):
    """The function raised in the child; its error by name, text, line and trace."""

    def __init__(self, error: str, message: str, line: str = "", trace: str = "") -> None:
        super().__init__(f"{error}: {message}")
        self.error, self.message, self.line, self.trace = error, message, line, trace

    @classmethod
    def of(cls, error: BaseException) -> Self:
        trace = "".join(traceback.format_exception(error))
        return cls(type(error).__name__, one_line(str(error)), user_line(error), trace)


class TimedOut(ChildRaised):
    """Nothing came back in time: slow, stuck, or stuck only because it was forked (thread pools do not live on)."""


class CannotFork(Exception):
    """There is no such child to be had here, or its result cannot be handed over."""


class _Pickler(pickle.Pickler):
    """A view into a large storage is handed over without the rest of the storage."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.untyped_storage().nbytes() > value.nbytes:
            return value.detach().clone().__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        return NotImplemented


def run_in_fork(work: Callable[[], Any], seconds: float = 120.0) -> Any:
    """The function's result. ChildRaised when it raises, dies or takes too long; CannotFork where there is no way."""
    if not can_fork() or multiprocessing.current_process().daemon:
        raise CannotFork("this platform or process cannot fork a child")
    ((_, answer),) = run_forked({0: partial(_message, work)}, 1, seconds, isolated=False)
    if not isinstance(answer, WorkerFailure):
        kind, *rest = answer
        if kind == "value":
            return pickle.loads(rest[0])  # our own child wrote it
        raise (ChildRaised if kind == "raised" else CannotFork)(*rest)
    if answer.exit_code is None:
        raise TimedOut("TimeoutError", f"nothing came back within {seconds:.0f} s")
    raise ChildRaised("ProcessDied", f"the process ended with {_ending(answer.exit_code)}")


def run_apart(work: Callable[[], Any], *touched: Any) -> Any:
    """In a child, since loading and collating may draw at random and count; else here, with these objects restored."""
    try:
        return run_in_fork(work)
    except CannotFork:
        with restore_afterwards(others=touched):
            return work()


def _message(work: Callable[[], Any]) -> tuple[Any, ...]:
    """("value", its pickle), ("raised", the arguments of ChildRaised) or ("unpicklable", why)."""
    try:
        value = work()
    except BaseException as error:
        if "forked subprocess" in str(error):
            return "unpicklable", "the data are prepared on the GPU, which a forked process cannot use"
        raised = ChildRaised.of(error)
        return "raised", raised.error, raised.message, raised.line, raised.trace
    try:
        buffer = BytesIO()
        _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
        return "value", buffer.getvalue()
    except Exception as error:
        return "unpicklable", f"a batch cannot be handed from process to process ({error})"


def _ending(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
