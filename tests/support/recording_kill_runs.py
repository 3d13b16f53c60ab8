"""kill -9 while recordings are written: what bears the name of one is whole, and the rest is cleared away."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

from diagnose.engine.report import Stopped
from diagnose.guard import Guard
from tests.bench.report import Measured
from tests.support.small_runs import trainer
from trainer.loop.checkpoints.checksums import verify
from trainer.loop.checkpoints.store import REMOVING, SAVING
from trainer.loop.guard.recording import FOLDER, record, recordings, remove_partial_recordings
from trainer.loop.guard.replay import open_recording


def measure(kills: int = 50) -> Measured:
    """The campaign: recordings are written one after the other, each kill comes at any moment."""
    return Measured(campaign(kills), f"{kills} kills while recordings were written and rotated")


def campaign(kills: int, seed: int = 0) -> dict[str, int]:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        run = stopped(Path(folder))
        outcome = {"tried": 0, "while_writing": 0, "half": 0, "left_over": 0}
        for _ in range(kills):
            kill_one(run, chance.uniform(0.0, 0.25))
            outcome["tried"] += 1
            outcome["while_writing"] += bool(unfinished(run.run))
            outcome["half"] += sum(verify(path) is not None for path in recordings(run.run))
            remove_partial_recordings(run.run)
            outcome["left_over"] += bool(unfinished(run.run))
        for path in recordings(run.run):
            open_recording(path)
        return outcome


def stopped(folder: Path) -> Any:
    """A run that ended in its second step, with all that a recording needs."""
    run = trainer("hybrid", folder, rows=6)
    weight = next(run.model.parameters())
    weight.register_hook(lambda gradient: gradient / 0 if run.state.global_step else None)
    run.set_guard(Guard())
    try:
        run.train()
    except Stopped:
        return run
    raise AssertionError("the guard let the step pass")


def kill_one(run: Any, seconds: float) -> None:
    """Writes recordings in a fork of this process until it is killed."""
    process = os.fork()
    if process:
        time.sleep(seconds)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        return
    try:
        for run.step_monitor.snapshot.step in count(1):
            record(run, run.step_monitor.snapshot, {})
    finally:
        os._exit(1)


def unfinished(run: Path) -> list[Path]:
    return [path for mark in (SAVING, REMOVING) for path in (run / FOLDER).glob(f"{mark}*")]
