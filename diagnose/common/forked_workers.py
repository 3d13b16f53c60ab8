"""Runs functions in forked workers, a few at a time; their side effects die with them."""

import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from diagnose.common.errors import InputError, short_error
from diagnose.common.interrupts import deferred_interrupts
from diagnose.common.parent_death import die_with

Key = TypeVar("Key")
Watch = Callable[[Sequence[int]], str]
INTERRUPT_POLL = 0.3  # seconds until Ctrl-C is noticed


@dataclass(frozen=True)
class WorkerFailure:
    """A worker that returned nothing, and why. `exit_code`: of a process that ended by itself."""

    reason: str
    trace: str = ""
    exit_code: int | None = None


@dataclass
class _Worker(Generic[Key]):
    key: Key
    process: Any
    answers: Connection
    ends: float
    folder: tempfile.TemporaryDirectory[str] | None


def can_fork() -> bool:
    return "fork" in multiprocessing.get_all_start_methods()


def run_forked(
    work: Mapping[Key, Callable[[], Any]],
    at_once: int,
    seconds: float = 900.0,
    watch: Watch = lambda pids: "",
    isolated: bool = True,
) -> Iterator[tuple[Key, Any]]:
    """The key and the result of each, as they end; a WorkerFailure for one that raised, died or took too long.

    `watch` gets the process ids at every look; a reason from it ends them all. An `isolated` worker is silent and has
    a folder of its own for temporary files.
    """
    if not can_fork():
        raise InputError("this command forks processes, which this system does not support; run it on Linux")
    waiting, running = list(work.items()), list[_Worker[Key]]()
    with deferred_interrupts() as interrupts:  # in the middle of a fork, Ctrl-C would be lost
        try:
            while (waiting or running) and not interrupts:
                while waiting and len(running) < at_once:
                    running.append(_start(*waiting.pop(0), seconds, isolated))
                ended = _ended(running)
                busy = [worker for worker in running if worker not in ended]
                reason = watch([worker.process.pid for worker in busy])
                for worker in busy if reason else ():
                    worker.process.kill()  # all at once: one that notices the end of another would fail for that reason
                for worker in [*ended, *busy] if reason else ended:
                    running.remove(worker)
                    yield worker.key, _result(worker, reason if worker in busy else "")
        finally:
            for worker in running:
                _end(worker)


def _start(key: Key, work: Callable[[], Any], seconds: float, isolated: bool) -> _Worker[Key]:
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    folder = tempfile.TemporaryDirectory(prefix="gonogo-", ignore_cleanup_errors=True) if isolated else None
    process = context.Process(target=_run, args=(work, sender, folder and folder.name, os.getpid()))
    process.start()
    sender.close()
    return _Worker(key, process, receiver, time.monotonic() + seconds, folder)


def _ended(running: list[_Worker[Key]]) -> list[_Worker[Key]]:
    soonest = min(worker.ends for worker in running) - time.monotonic()
    ready = wait([worker.answers for worker in running], timeout=min(max(soonest, 0.0), INTERRUPT_POLL))
    return [worker for worker in running if worker.answers in ready or worker.ends <= time.monotonic()]


def _result(worker: _Worker[Key], reason: str = "") -> Any:
    try:
        if not worker.answers.poll():
            return WorkerFailure(reason or "it took too long and was stopped")
        return pickle.loads(worker.answers.recv_bytes())  # our own worker wrote it
    except EOFError:
        worker.process.join(timeout=5.0)
        code = worker.process.exitcode
        return WorkerFailure(reason or f"its process exited with {code}", exit_code=code)
    finally:
        _end(worker)


def _end(worker: _Worker[Key]) -> None:
    worker.process.join(timeout=1.0)
    worker.process.kill()
    worker.process.join()
    worker.answers.close()
    if worker.folder:
        worker.folder.cleanup()


def _run(work: Callable[[], Any], sender: Connection, folder: str | None, parent: int) -> None:
    """On one thread: the parent's thread pool does not exist in a fork."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    die_with(parent)
    if folder:
        _isolate(folder)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads do not exist in a fork
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    try:
        answer = work()
    except BaseException as error:
        answer = WorkerFailure(short_error(error), traceback.format_exc())
    sender.send_bytes(pickle.dumps(answer))


def _isolate(folder: str) -> None:
    tempfile.tempdir = folder
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    sys.stdout = sys.stderr = os.fdopen(silence, "w")  # a notebook's streams are no files
