"""What the guards cost: their own time over that of the plain step, in our trainer and in a foreign one."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import Any

import torch
from transformers import Seq2SeqTrainer, TrainerCallback
from transformers.debug_utils import DebugUnderflowOverflow
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from diagnose.guard import Guard
from probes.guards.transformers import GuardCallback
from tests.bench.cost.throughput import prepared as of_the_demo
from tests.bench.cost.throughput import stock_arguments
from tests.bench.report import Measured
from tests.support.audit_rows import Clips
from trainer.config import Resolved
from trainer.config.load import load
from trainer.loop.run import build_trainer
from trainer.models.bundle import ModelBundle, build
from trainer.paths import shipped_config

STEPS = {"hybrid": 120, "whisper_tiny": 25}
WARMUP = 5
OURS = ("loss_totals", "start_step", "start_micro_batch", "decide", "judge_pending", "judge_between_steps")
FOREIGN = ("on_pre_optimizer_step", "on_log", "_hear")
RAISES = "it raises: it takes abs() of a mask, which torch has not for Bool"
TINY = "{hidden: 384, layers: 4, decoder_layers: 4, heads: 6, ffn: 1536}"


class Clock(TrainerCallback):
    """The CPU seconds of every step, and those that were spent in the watched methods."""

    def __init__(self) -> None:
        self.steps: list[float] = []
        self.guards: list[float] = []
        self.spent, self.last = 0.0, time.process_time()

    def watch(self, owner: Any, names: tuple[str, ...]) -> None:
        for name in names:
            setattr(owner, name, self._timed(getattr(owner, name)))

    def on_step_end(self, *_: Any, **__: Any) -> None:
        now = time.process_time()
        self.steps.append(now - self.last)
        self.guards.append(self.spent)
        self.spent, self.last = 0.0, now

    def figures(self) -> dict[str, float]:
        steps, guards = sum(self.steps[WARMUP:]), sum(self.guards[WARMUP:])
        return {
            "ratio": guards / (steps - guards),
            "guards_milliseconds": 1000 * statistics.median(self.guards[WARMUP:]),
            "step_milliseconds": 1000 * statistics.median(self.steps[WARMUP:]),
        }

    def _timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def timed(*args: Any, **more: Any) -> Any:
            started = time.process_time()
            try:
                return method(*args, **more)
            finally:
                self.spent += time.process_time() - started

        return timed


def prepared(model: str, folder: Path) -> tuple[Resolved, ModelBundle, Any]:
    """The demo's hybrid, or a Whisper of the size of tiny with 51,865 tokens and windows of 6 seconds."""
    if model == "hybrid":
        return of_the_demo("hybrid", 96, folder)
    silent = ["training.eval_strategy=no", "training.save_strategy=no", "training.load_best_model_at_end=false"]
    size = [
        f"model.random={TINY}",
        "model.ctc_weight=0",
        "audio.max_length_seconds=6",
        "training.batch_size=2",
        "model.task=transcribe",
    ]
    more = ["training.max_steps=100000", "training.ctc_only_steps=0", "training.report_to=none"]
    resolved = load(shipped_config("demo_whisper"), [*silent, *size, *more, f"output.dir={folder}"])
    dataset = Clips(32)
    parts = build(resolved.config, dataset.texts())
    parts.model.resize_token_embeddings(51865)
    return resolved, parts, dataset


def ours(model: str) -> Measured:
    """In our trainer."""
    with _quietly() as folder:
        trainer = build_trainer(*prepared(model, folder), None)
        trainer.args.max_steps = STEPS[model]
        trainer.set_guard(Guard())
        clock = Clock()
        clock.watch(trainer.step_monitor, OURS)
        trainer.add_callback(clock)
        trainer.train()
    return Measured(clock.figures(), f"{STEPS[model]} steps, the first {WARMUP} left out, timed directly")


def foreign(model: str) -> Measured:
    """In transformers' own."""
    with _quietly() as folder:
        _, parts, dataset = prepared(model, folder)
        usual = {"max_steps": STEPS[model], "learning_rate": 1e-4, "logging_steps": 10}
        arguments = stock_arguments(folder, parts.config.training.batch_size, **usual)
        guard, clock = GuardCallback(), Clock()
        clock.watch(guard, FOREIGN)
        Seq2SeqTrainer(parts.model, arguments, parts.collate, dataset, callbacks=[guard, clock]).train()
    return Measured(clock.figures(), f"{STEPS[model]} steps, the first {WARMUP} left out, timed directly")


def others(model: str, rounds: int = 8) -> Measured:
    """What one would use instead, over the same plain step: the time that it adds to it."""
    with _quietly() as folder:
        steps = {name: _step(model, folder, name) for name in ("plain", "set_detect_anomaly", "DebugUnderflowOverflow")}
        times: dict[str, list[float]] = {name: [] for name in steps}
        for name, step in [*steps.items()] * (rounds + 2):
            times[name].append(_seconds(step))
    plain = statistics.median(times.pop("plain")[2:])
    medians = {name: statistics.median(found[2:]) for name, found in times.items()}
    figures = {name: {"ratio": one / plain - 1 if one == one else RAISES} for name, one in medians.items()}
    return Measured(figures, f"what each adds, over the plain step: {rounds} steps of each in turn, medians")


def _seconds(step: Callable[[], None]) -> float:
    started = time.process_time()
    try:
        step()
    except NotImplementedError:  # DebugUnderflowOverflow takes the absolute value of masks
        return float("nan")
    return time.process_time() - started


def _step(model: str, folder: Path, name: str) -> Callable[[], None]:
    _, parts, dataset = prepared(model, folder / name)
    batch = parts.collate([dataset[number] for number in range(parts.config.training.batch_size)])
    optimizer = torch.optim.AdamW(parts.model.parameters(), lr=1e-4, fused=True)
    parts.model.train()
    keeper = DebugUnderflowOverflow(parts.model) if name == "DebugUnderflowOverflow" else None

    def step(held: Any = keeper) -> None:
        with torch.autograd.set_detect_anomaly(name == "set_detect_anomaly"):
            parts.model(**batch).loss.backward()
        torch.nn.utils.clip_grad_norm_(parts.model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


@contextmanager
def _quietly() -> Iterator[Path]:
    disable_progress_bar()
    set_verbosity_error()
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


WAYS = {"ours": ours, "foreign": foreign, "others": others}
MEASUREMENTS = {f"{model}/{way}": partial(measure, model) for model in STEPS for way, measure in WAYS.items()}
