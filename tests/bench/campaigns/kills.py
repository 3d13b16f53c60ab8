"""kill -9 at random moments, half of them while saving: every resume must end as the run that was left alone."""

from __future__ import annotations

import json
import os
import random
import signal
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

from diagnose.guard import Guard
from tests.bench.report import Measured
from tests.support.small_runs import write_run
from trainer.models.bundle import ARCHITECTURES

MODELS = {"hybrid": "hybrid", "whisper": "whisper+ctc", "e2e": "e2e+ctc", "mt5": "mt5"}
SETTINGS = {
    "max_steps": 16,
    "save_strategy": "steps",
    "save_steps": 2,
    "save_total_limit": 2,
    "eval_strategy": "steps",
    "eval_steps": 2,
    "load_best_model_at_end": True,
    "predict_with_generate": False,
    "dropout": 0.1,
    "gradient_accumulation_steps": 2,
    "logging_steps": 3,
}
PATIENCE = 120.0


def measure(model: str, kills: int = 20) -> Measured:
    """The campaign of one model."""
    return Measured(campaign(model, kills), f"{kills} kills, at least half of them while saving")


def campaign(model: str, kills: int, seed: int = 0) -> dict[str, int]:
    """Kill, resume, compare; again and again."""
    for module in ("trainer.loop.trainer", "trainer.data.dataset", ARCHITECTURES[model]):
        import_module(module)  # here, so that the forks need not
    torch.set_num_threads(1)
    Guard().begin()  # likewise the probes
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        config = write_run(Path(folder), MODELS[model], rows=18, **SETTINGS)
        started = time.monotonic()
        straight = Path(folder) / "straight"
        assert finish(launch(config, straight)), (straight / "said.txt").read_text()
        seconds = time.monotonic() - started
        outcome = {"tried": 0, "while_saving": 0, "identical": 0, "stuck": 0}
        while outcome["tried"] < kills or 2 * outcome["while_saving"] < kills:
            run = Path(folder) / f"killed-{outcome['tried']}"
            outcome["while_saving"] += kill_one(config, run, seconds, chance, aim=2 * outcome["while_saving"] < kills)
            outcome["tried"] += 1
            resumed = finish(launch(config, run, resume="auto"))
            outcome["stuck"] += not resumed
            outcome["identical"] += resumed and what_is_left(run) == what_is_left(straight)
        return outcome


def kill_one(config: Path, run: Path, seconds: float, chance: random.Random, aim: bool) -> bool:
    """Start a run and kill it, at any moment or soon after a save has begun; whether a save was cut in two."""
    process = launch(config, run)
    if aim:
        wait_for_saves(run, 1 + chance.randrange(8))
        time.sleep(chance.uniform(0.0, 0.01))
    else:
        time.sleep(chance.uniform(0.0, seconds))
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return any(run.glob(".saving-*")) or any(run.glob(".removing-*"))


def wait_for_saves(run: Path, saves: int) -> None:
    """Until so many saves have begun."""
    seen: set[str] = set()
    until = time.monotonic() + PATIENCE
    while len(seen) < saves and time.monotonic() < until:
        seen |= {path.name for path in run.glob(".saving-*")}
        time.sleep(0.0005)


def launch(config: Path, run: Path, resume: str | None = None) -> int:
    """Train in a fork of this process, which has imported everything already; its process id."""
    run.mkdir(parents=True, exist_ok=True)
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        said = os.open(run / "said.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(said, 1)
        os.dup2(said, 2)
        _train(config, run, resume)
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _train(config: Path, run: Path, resume: str | None) -> None:
    from trainer.config import load
    from trainer.loop.run import train

    train(load(config, [f"output.dir={run}"]), resume=resume, guard=Guard())


def finish(process: int) -> bool:
    """Whether it ends, and ends well."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return False


def what_is_left(run: Path) -> tuple[bytes, list[Any], Any]:
    """The weights to the last bit, every figure of the history, and the best of it."""
    saved = json.loads((run / "metrics" / "test_metrics.json").read_text())
    timeless = [
        {k: v for k, v in line.items() if "runtime" not in k and "per_second" not in k} for line in saved["history"]
    ]
    return (run / "model.safetensors").read_bytes(), timeless, saved["best_step"]
