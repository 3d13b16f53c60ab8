"""Runs a function in a forked child: whatever it moves on (generators, workers, caches) moves on there and not here."""

import multiprocessing
import pickle
import signal
import traceback
from collections.abc import Callable
from io import BytesIO
from multiprocessing.connection import Connection
from typing import Any, Self

import torch

from probes.facts.core.failure import one_line, user_line


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
    if "fork" not in multiprocessing.get_all_start_methods() or multiprocessing.current_process().daemon:
        raise CannotFork("this platform or process cannot fork a child")
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(work, sender))
    child.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise TimedOut("TimeoutError", f"nothing came back within {seconds:.0f} s")
        kind, *rest = pickle.loads(receiver.recv_bytes())  # our own child wrote it
    except EOFError:
        child.join()
        raise ChildRaised("ProcessDied", f"the process ended with {_ending(child.exitcode)}") from None
    finally:
        child.join(timeout=1.0)
        child.kill()
        child.join()
        receiver.close()
    if kind == "value":
        return pickle.loads(rest[0])
    raise (ChildRaised if kind == "raised" else CannotFork)(*rest)


def _work(work: Callable[[], Any], sender: Connection) -> None:
    torch.set_num_threads(1)  # the parent's thread pool does not live on in a child
    message: tuple[Any, ...]
    try:
        value = work()
        try:
            buffer = BytesIO()
            _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
            message = ("value", buffer.getvalue())
        except Exception as error:
            message = ("unpicklable", f"a batch cannot be handed from process to process ({error})")
    except BaseException as error:
        told = ChildRaised.of(error)
        message = ("raised", told.error, told.message, told.line, told.trace)
        if "forked subprocess" in str(error):
            message = ("unpicklable", "the data are prepared on the GPU, which a forked process cannot use")
    sender.send_bytes(pickle.dumps(message))


def _ending(code: int | None) -> str:
    return signal.Signals(-code).name if code and code < 0 else f"exit code {code}"
