"""Work in forked children, a few at once: whatever is done to a subject ends with the child it was done in."""

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from diagnose.common.errors import InputError
from diagnose.engine.context import short_error

Key = TypeVar("Key")
Watch = Callable[[Sequence[int]], str]
HEARD = 0.3  # seconds until Ctrl-C is noticed


@dataclass(frozen=True)
class WorkerFailure:
    """A child that gave no answer, and why."""

    reason: str
    trace: str = ""


@dataclass
class _Worker(Generic[Key]):
    key: Key
    process: Any
    answers: Connection
    ends: float
    folder: tempfile.TemporaryDirectory[str]


def run_forked(
    work: Mapping[Key, Callable[[], Any]], at_once: int, seconds: float = 900.0, watch: Watch = lambda pids: ""
) -> Iterator[tuple[Key, Any]]:
    """The key and the result of each, as they end; a Broken for one that raised, died, took too long or was ended.

    `watch` is shown the processes at every look; a reason from it ends them all.
    """
    if "fork" not in multiprocessing.get_all_start_methods():
        raise InputError("this forks a child for every piece of work, and this system cannot fork; run it on Linux")
    waiting, running = list(work.items()), list[_Worker[Key]]()
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                running.append(_started(*waiting.pop(0), seconds))
            ended = _ended(running)
            busy = [child for child in running if child not in ended]
            reason = watch([child.process.pid for child in busy])
            for child in busy if reason else ():
                child.process.kill()  # all at once: one that sees another go would have an error of its own to tell
            for child in [*ended, *busy] if reason else ended:
                running.remove(child)
                yield child.key, _answer(child, reason if child in busy else "")
    finally:
        for child in running:
            _end(child)


def _started(key: Key, work: Callable[[], Any], seconds: float) -> _Worker[Key]:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    folder = tempfile.TemporaryDirectory(prefix="gonogo-", ignore_cleanup_errors=True)
    process = context.Process(target=_work, args=(work, sender, folder.name, os.getpid()))
    process.start()
    sender.close()
    return _Worker(key, process, receiver, time.monotonic() + seconds, folder)


_asked: list[int] = []  # Ctrl-C, since somebody said that it is to wait


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Ctrl-C is heard between two looks at the children: raised in the middle of a fork, it would be lost."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or usual in (None, signal.SIG_IGN):
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: _asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        _asked.clear()


def _ended(running: list[_Worker[Key]]) -> list[_Worker[Key]]:
    soonest = min(child.ends for child in running) - time.monotonic()
    ready = wait([child.answers for child in running], timeout=min(max(soonest, 0.0), HEARD))
    if _asked:
        raise KeyboardInterrupt
    return [child for child in running if child.answers in ready or child.ends <= time.monotonic()]


def _answer(child: _Worker[Key], reason: str = "") -> Any:
    try:
        if not child.answers.poll():
            return WorkerFailure(reason or "it took too long and was ended")
        return pickle.loads(child.answers.recv_bytes())  # our own child wrote it
    except EOFError:
        child.process.join(timeout=5.0)
        return WorkerFailure(reason or f"its process ended with {child.process.exitcode}")
    finally:
        _end(child)


def _end(child: _Worker[Key]) -> None:
    child.process.join(timeout=1.0)
    child.process.kill()
    child.process.join()
    child.answers.close()
    child.folder.cleanup()


def _work(work: Callable[[], Any], sender: Connection, folder: str, parent: int) -> None:
    """Silent, on one thread (the parent's pool does not live on), with its temporary files in the given folder."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its children
    _die_with(parent)
    tempfile.tempdir = folder
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    sys.stdout = sys.stderr = os.fdopen(silence, "w")  # a notebook's streams are no files
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads would not live on in a fork
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    try:
        answer = work()
    except BaseException as error:
        answer = WorkerFailure(short_error(error), traceback.format_exc())
    sender.send_bytes(pickle.dumps(answer))


def _die_with(parent: int) -> None:
    """A parent that is killed cannot end its children: on Linux the kernel does it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # it was quicker
            os._exit(1)
