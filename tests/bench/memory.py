"""Predicted against counted memory: four architectures, five settings, short and long batches, in real training.

Counted in two ways while the trainer takes three updates: by a dispatch mode, and by the allocator itself, which also
sees what kernels allocate within an operation. `error` is against the larger of the two. `process` is how much the
process grew at its peak, with whatever the C library keeps.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.data import Dataset

from diagnose.engine.engine import installed
from probes.facts.first_step.first_step import take_first_step
from probes.facts.memory.one_step import count_step
from probes.facts.memory.step_meter import StepMeter
from probes.facts.memory.summarize import peak_of, summarize
from probes.facts.memory.types import StepOptions
from tests.bench.report import Measured
from tests.support import small_runs
from trainer.demo.corpus import make_corpus
from trainer.demo.run import settings
from trainer.pipeline.steps import data_step

MODELS = {"whisper": "whisper", "e2e": "e2e+ctc", "hybrid": "hybrid", "mt5": "mt5"}
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "frozen_encoder": {"freeze_encoder": True},
    "checkpointing": {"gradient_checkpointing": True},
    "accumulation": {"gradient_accumulation_steps": 2},
    "autocast_bf16": {"bf16": True},
}
SIZES = {"hidden": 128, "layers": 3, "decoder_layers": 2, "heads": 4, "ffn": 512, "conv_channels": 64}
ROWS, UPDATES, LONG = 4, 3, 3  # long: so many times the audio and the text


class SameBatch(Dataset[Any]):
    """A batch of rows that comes in every step."""

    def __init__(self, items: list[Any], batches: int) -> None:
        self.items, self.batches = items, batches

    def __len__(self) -> int:
        return len(self.items) * self.batches

    def __getitem__(self, index: int) -> Any:
        return self.items[index % len(self.items)]

    def lengths(self) -> list[float]:
        return [1.0] * len(self)


def lengthened(item: dict[str, Any]) -> dict[str, Any]:
    texts = ("transcript", "translation", "document", "summary")
    longer = {name: " ".join([item[name]] * LONG) for name in texts if name in item}
    return item | longer | ({"audio": item["audio"].repeat(LONG)} if "audio" in item else {})


def measure(model: str) -> Measured:
    torch.set_num_threads(1)
    figures: dict[str, Any] = {}
    before, small_runs.RANDOM = small_runs.RANDOM, {**small_runs.RANDOM, **SIZES}
    try:
        for setting, values in SETTINGS.items():
            for length in ("short", "long"):
                with tempfile.TemporaryDirectory() as folder:
                    figures[f"{setting}_{length}"] = one_run(MODELS[model], values, length == "long", Path(folder))
    finally:
        small_runs.RANDOM = before
    figures["worst_error"] = max((run["error"] for run in figures.values()), key=abs)
    return Measured(figures, f"{UPDATES} updates each")


def one_run(model: str, values: dict[str, Any], long: bool, folder: Path) -> dict[str, float]:
    """The prediction comes first and sees a trainer that has not trained."""
    trainer = small_runs.trainer(model, folder, rows=ROWS, batch_size=ROWS, max_steps=UPDATES, dropout=0.1, **values)
    items = [trainer.train_dataset[row] for row in range(ROWS)]
    items = [lengthened(item) for item in items] if long else items
    batches = values.get("gradient_accumulation_steps", 1)
    trainer.train_dataset = SameBatch(items, UPDATES * batches)
    batch = trainer.data_collator(items)
    setup = installed().context({"trainer": trainer}).get("update_setup")
    half, checkpointing = bool(values.get("bf16")), "gradient_checkpointing" in values
    options = StepOptions("bf16" if half else "fp32", False, batches > 1, checkpointing, outputs_to_fp32=half)
    predicted = summarize(count_step(setup, batch, options), "longest", batch).peak
    del setup, batch
    gc.collect()
    counted, allocator, grown = counted_in(trainer)
    error = predicted / max(counted, allocator) - 1
    megabytes = {"predicted": predicted, "counted": counted, "allocator": allocator, "process": grown}
    return {name: round(value / 1e6, 2) for name, value in megabytes.items()} | {"error": round(error, 4)}


def counted_in(trainer: Any) -> tuple[int, int, int]:
    """Peaks with the weights: of the dispatch mode, of the allocator's records, and the growth of the process."""
    meter = StepMeter({}, gpu=True)  # without the estimated space of kernels
    meter.forget_weight_copies()
    for tensor in (*trainer.model.parameters(), *trainer.model.buffers()):
        meter.add(tensor, "weights")
    weights = sum(allocation.bytes for allocation in meter.allocations)
    Path("/proc/self/clear_refs").write_text("5")
    resident = _status("VmRSS")
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as records, meter:
        trainer.train()
    grown = _status("VmHWM") - resident + weights
    events = (one for one in records.profiler.kineto_results.events() if one.name() == "[memory]")
    live = peak = 0
    for _, size in sorted((one.start_ns(), one.nbytes()) for one in events):
        live += size
        peak = max(peak, live)
    return peak_of(meter), peak + weights, grown


def _status(name: str) -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def shipped() -> Measured:
    """The command as a person types it: seconds by the clock and of the processor, memory of the process."""
    figures: dict[str, Any] = {}
    for config, size in (("dev_whisper", "4GB"), ("dev_e2e", "4GB"), ("prod_whisper", "80GB"), ("prod_e2e", "80GB")):
        command = [sys.executable, "-m", "diagnose", "memory", "--config", config, "--device-memory", size]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        output = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        verdict = next(line.partition(":")[0] for line in output.splitlines() if "FIT" in line.partition(":")[0])
        figures[f"{config}_{size}"] = {
            "verdict": verdict,
            "exit_code": os.waitstatus_to_exitcode(status),
            "seconds": round(time.perf_counter() - start, 1),
            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
            "process_gigabytes": round(usage.ru_maxrss / 1e6, 2),
        }
    return Measured(figures, "once")


def demo() -> Measured:
    """The memory stage of the demo's preflight, in passes of its first batch by the processor's clock."""
    with tempfile.TemporaryDirectory() as folder:
        make_corpus(Path(folder), 0)
        resolved = settings("hybrid", 0, Path(folder))
        data_step(resolved.config)
        context = installed().context({"config": resolved})
        context.get("first_step")  # the first one also warms up
        setup, batch = context.get("update_setup"), context.get("batch")
        step = _cpu_seconds(lambda: take_first_step(setup, batch))
        stage = _cpu_seconds(lambda: context.get("memory_plan"))
    return Measured({"passes": round(stage / step, 2), "cpu_seconds": round(stage, 2)}, "once")


def _cpu_seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


MEASUREMENTS = {**{model: partial(measure, model) for model in MODELS}, "shipped": shipped, "demo": demo}
