"""Arguments that are only written down, in a dict or a file. Asked last: a Trainer knows better than its arguments."""

import math
from pathlib import Path
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require
from probes.facts.settings.types import RunSettings, SettingLocation


@provider(priority=2)
def training_arguments(config_path: str | Path) -> Any:
    """The section of a YAML or JSON file that holds arguments of transformers."""
    from probes.facts.settings.arguments_file import Unreadable, read_arguments

    try:
        found = read_arguments(Path(config_path))
    except Unreadable as reason:
        raise Unavailable(f"{config_path}: {reason}") from reason
    return require(found, f"{config_path} has no section with TrainingArguments")


@provider(priority=2)
def total_steps(training_arguments: Any, run_settings: RunSettings, train_dataset: Any = None) -> int:
    settings = run_settings
    if settings.max_steps and settings.max_steps > 0:
        return settings.max_steps
    if not hasattr(train_dataset, "__len__") or not settings.batch_size or not settings.epochs:
        raise NotApplicable("neither max_steps nor the rows or epochs to compute it from are given")
    batches = math.ceil(math.ceil(len(train_dataset) / settings.batch_size) / settings.processes)
    return math.ceil(settings.epochs * math.ceil(batches / (settings.accumulation or 1)))


@provider(priority=3)
def fp16_setting(run_settings: RunSettings) -> SettingLocation:
    require(run_settings.fp16, "fp16 is off")
    return run_settings.place("fp16")
