"""Several real processes in a group of their own, as torchrun would start them: forked, on the CPU, one thread each."""

import faulthandler
import importlib
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import torch.distributed as dist

from diagnose.common.forked_workers import WorkerFailure, run_forked
from diagnose.engine.seeding import seed_all, seed_for
from probes.facts.distributed.hang_watch import STILL, STOOD, HangDetector
from probes.facts.distributed.rank_notes import RankNotes, crash_file

LIMIT = 900.0  # seconds for all of it: building may read large weights

Work = Callable[[int, RankNotes], None]


def run_in_group(work: Work, processes: int, last: str) -> list[tuple[RankNotes, WorkerFailure | None]]:
    """Runs work(rank, notes) in every process: what each noted down, and how it ended where it did not by itself.

    `last` is the note with which a process is done. A group that stood still while it was built is started again: a
    lock that a thread of ours held at the very moment of a fork stays locked in the forked process.
    """
    with suppress(ImportError):
        importlib.import_module("torch._dynamo")  # every optimiser imports it: here once, and not in each process
    found = _run_group(work, processes, last)
    stuck = any(broken is not None and broken.reason == STOOD for _, broken in found)
    return _run_group(work, processes, last) if stuck else found


def _run_group(work: Work, processes: int, last: str) -> list[tuple[RankNotes, WorkerFailure | None]]:
    with tempfile.TemporaryDirectory(prefix="gonogo-group-", ignore_cleanup_errors=True) as name:
        folder, port = Path(name), _free_port()
        notes = [RankNotes(folder, rank) for rank in range(processes)]
        todo = {one.rank: partial(_member, work, one, processes, port, last) for one in notes}
        ended: dict[int, WorkerFailure | None] = {}
        for rank, answer in run_forked(todo, processes, LIMIT, HangDetector(notes)):
            ended[rank] = answer if isinstance(answer, WorkerFailure) else None
            if ended[rank] and not notes[rank].has("stop"):
                notes[rank].leave("stop", None)  # the others need not wait for it
        return [(one.read(), ended[one.rank]) for one in notes]


def answers_of(work: Callable[[int, int], Any], processes: int) -> list[Any]:
    """work(rank, processes) in every process of a group; raises where one of them gave no answer."""

    def noted(rank: int, notes: RankNotes) -> None:
        notes.leave("answer", work(rank, processes))

    found = run_in_group(noted, processes, "answer")
    for notes, broken in found:
        if broken is not None or "answer" not in notes.left:
            raise RuntimeError(f"rank {notes.rank} returned nothing: {broken.reason if broken else 'it left'}")
    return [notes.left["answer"] for notes, _ in found]


def _member(work: Work, notes: RankNotes, processes: int, port: int, last: str) -> None:
    """One process of the group: it ends when all are done, since the others may still read what it has sent."""
    crash = crash_file(notes.folder, notes.rank).open("w")
    os.dup2(crash.fileno(), 2)  # what a C++ library says before it ends the process
    faulthandler.enable(crash, all_threads=True)
    faulthandler.register(signal.SIGUSR1, crash, all_threads=False)
    _set_environment(notes.rank, processes, port)
    with _group(notes, processes):
        work(notes.rank, notes)
        notes.together(last, processes, 2 * STILL)


def _set_environment(rank: int, processes: int, port: int) -> None:
    """Sets what torchrun sets, hides the GPUs, which a forked process cannot use, and resets accelerate."""
    names: dict[str, Any] = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": processes, "LOCAL_WORLD_SIZE": processes}
    names |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": 1}
    os.environ |= {name: str(value) for name, value in names.items()}
    os.environ |= {"CUDA_VISIBLE_DEVICES": "", "ACCELERATE_USE_CPU": "true"}
    loopback = next((name for _, name in socket.if_nameindex() if name.startswith("lo")), None)
    if loopback:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", loopback)
    if "accelerate" in sys.modules:
        from accelerate.state import AcceleratorState, GradientState

        AcceleratorState._reset_state(reset_partial_state=True)
        GradientState._reset_state()
    seed_all(seed_for(f"rank {rank}"))  # processes of a real run begin apart, unless somebody seeds them


@contextmanager
def _group(notes: RankNotes, processes: int) -> Iterator[None]:
    """A gloo group that meets in a file: a port might be taken."""
    dist.init_process_group(
        "gloo",
        init_method=f"file://{notes.folder / 'meeting'}",
        rank=notes.rank,
        world_size=processes,
        timeout=timedelta(seconds=LIMIT),
    )
    try:
        yield
    finally:
        with suppress(Exception):
            dist.destroy_process_group()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
