"""`train --dry-run`: what a run would do, without loading a model or asking the network."""

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trainer.config import Config
from trainer.data.columns import configured_columns
from trainer.data.manifest import duration_of, read_rows
from trainer.data.prepare import needed_texts
from trainer.data.subset import Subset, rows_of_split
from trainer.loop.checkpoints.store import checkpoints
from trainer.run_inputs import pretrained, require_inputs

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class SplitSummary:
    """One split as it lies on the disk; rows is None where there is no file yet."""

    path: Path
    rows: int | None
    seconds: float

    def __str__(self) -> str:
        path = os.path.normpath(self.path)  # clips/../my_run where data_root is a folder of clips
        if self.rows is None:
            return f"{path} does not exist yet"
        return f"{path}, {self.rows:,} rows" + (f", {format_duration(self.seconds)}" if self.seconds else "")


@dataclass(frozen=True)
class RunPlan:
    """The run in numbers. updates is None while there is no training data to count."""

    splits: dict[str, SplitSummary]
    weights: str
    tasks: int
    processes: int
    effective_batch: int
    updates: int | None


def planned(config: Config, epochs: float | None = None, subset: Subset = None) -> Iterator[str]:
    """The plan; raises after it where there is no data to train on."""
    yield describe(plan(config, epochs, subset), config)
    require_inputs(config, weights=False)


def plan(config: Config, epochs: float | None = None, subset: Subset = None) -> RunPlan:
    """Reads the splits that are there (a broken one is an error) and counts."""
    splits = {name: summarize_split(config, name, subset) for name in SPLITS}
    tasks = 2 if config.model.task == "both" else 1
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    training = config.training
    effective = training.batch_size * training.gradient_accumulation_steps * tasks * processes
    updates = count_updates(config, splits["train"].rows, processes, epochs)
    return RunPlan(splits, weights_of(config), tasks, processes, effective, updates)


def summarize_split(config: Config, name: str, subset: Subset) -> SplitSummary:
    path = config.splits / f"{name}.csv"
    if not path.exists():
        return SplitSummary(path, None, 0.0)
    speech = config.model.type != "mt5"
    rows = read_rows(path, ("audio_path",) * speech + needed_texts(config), configured_columns(config))
    rows = rows[: rows_of_split(subset, name)]
    return SplitSummary(path, len(rows), sum(duration_of(row) or 0.0 for row in rows) if speech else 0.0)


def format_duration(seconds: float) -> str:
    """A length of speech in the unit that suits it."""
    for unit, size in (("hours", 3600), ("minutes", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} seconds"


def count_updates(config: Config, rows: int | None, processes: int, epochs: float | None) -> int | None:
    training = config.training
    if training.max_steps > 0 and epochs is None:
        return training.max_steps
    if rows is None:
        return None
    batches = math.ceil(rows / (training.batch_size * processes))
    return math.ceil(math.ceil(batches / training.gradient_accumulation_steps) * (epochs or training.num_train_epochs))


def weights_of(config: Config) -> str:
    """The source of the weights; refuses a path that does not exist, does not look up a hub name."""
    from trainer.models.pretrained import is_directory

    model = config.model
    if model.random:
        return f"random ({model.random.hidden} wide, {model.random.layers} + {model.random.decoder_layers} layers)"
    kinds = {name: "directory" if is_directory(name, key) else "hub" for key, name in pretrained(config).items()}
    return " + ".join(f"{name} ({kind})" for name, kind in kinds.items())


def output_of(config: Config) -> str:
    """The folder of the run, and what an earlier run left there."""
    found = checkpoints(config.output.dir)
    existing = f" (contains {found[-1].name}; without --resume it is moved away)" if found else ""
    return f"{config.output.dir}{existing}"


def describe(plan: RunPlan, config: Config) -> str:
    """The plan in words, one line for each thing."""
    training = config.training
    factors = f"{training.batch_size} rows x {training.gradient_accumulation_steps} accumulated"
    factors += " x 2 tasks" * (plan.tasks == 2) + f" x {plan.processes} processes" * (plan.processes > 1)
    precision = "fp16" if training.fp16 else "bf16" if training.bf16 else "fp32"
    lines = {
        "model": f"{config.model.type}, task {config.model.task}, weights {plan.weights}",
        **{f"{name} data": str(split) for name, split in plan.splits.items()},
        "batch": f"{plan.effective_batch} ({factors})",
        "updates": "unknown without training data" if plan.updates is None else f"{plan.updates:,}",
        "precision": precision,
        "learning rate": f"{training.learning_rate:g}, {training.lr_scheduler_type}",
        "output": output_of(config),
    }
    return "\n".join(f"{name + ':':<15}{text}" for name, text in lines.items())
