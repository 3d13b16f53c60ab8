"""The settings of a run of our own trainer, from plain values of its configuration: no model is needed for them."""

import math
import os
from collections.abc import Mapping
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require
from probes.facts.settings.hf_arguments import ArgumentNames
from probes.facts.settings.types import (
    GenerationLimit,
    ModelFamily,
    RunSettings,
    SeedSetting,
    SettingLocation,
    UpdateCount,
)

Values = Mapping[str, tuple[Any, str, int | None]]
KEYS = {
    "per_device_train_batch_size": "training.batch_size",
    "output_dir": "output.dir",
    "warmup_steps": "training.warmup_steps",
}
FAMILIES = {"whisper": ("whisper",), "mt5": ("mt5",), "e2e": ("wav2vec2", "mbart"), "hybrid": ("conformer",)}


@provider(priority=1)
def run_settings(config_values: Values, metric_names: tuple[str, ...] | None = None) -> RunSettings:
    """Under the names that transformers has for them, each with the file and line that decided it."""
    from probes.facts.settings.run_settings import NAMES, settings_of

    keys = {name: KEYS.get(name, f"training.{name}") for name in NAMES.values()}
    if config_values["training.warmup_ratio"][0]:
        keys["warmup_steps"] = "training.warmup_ratio"
    values = {name: config_values[key][0] for name, key in keys.items() if key in config_values}
    places = {name: _place(key, config_values) for name, key in keys.items() if key in config_values}
    return settings_of(
        "ours",
        values,
        places,
        rows_per_item=2 if config_values["model.task"][0] == "both" else 1,
        processes=int(os.environ.get("WORLD_SIZE", "1")),
        metric_names=metric_names,
        patience_known=True,
    )


@provider(priority=1)
def update_count(config_values: Values, run_settings: RunSettings, configured_rows: int | None = None) -> UpdateCount:
    """Counted as the trainer counts: the last batch of an epoch need not be full, nor its last update."""
    settings = run_settings
    batch, accumulation = settings.batch_size or 1, settings.accumulation or 1
    per_epoch = None
    if configured_rows:
        batches = math.ceil(math.ceil(configured_rows / batch) / settings.processes)
        per_epoch = math.ceil(batches / accumulation)
    updates = settings.max_steps if settings.max_steps and settings.max_steps > 0 else None
    if updates is None and per_epoch is None:
        raise Unavailable(
            "there is no train.csv to compute the number of updates from, and training.max_steps is not set"
        )
    whole = updates or math.ceil((settings.epochs or 1) * (per_epoch or 1))
    rows = batch * accumulation * settings.processes * settings.rows_per_item
    return UpdateCount(whole, rows, per_epoch, configured_rows)


@provider(priority=1)
def argument_names(config_values: Values) -> ArgumentNames:
    raise NotApplicable("every key of this configuration was checked when it was read")


@provider(priority=1)
def readable_dataset(configured_dataset: Any) -> Any:
    """The training set, before there is a model."""
    return configured_dataset


@provider(priority=1)
def tokenizer_source(config_values: Values) -> str:
    named = [config_values[key][0] for key in ("model.tokenizer", "model.name", "model.decoder")]
    require(any(named), "the tokenizer is built from the training texts")
    return str(next(name for name in named if name))


@provider(priority=1)
def model_families(config_values: Values) -> tuple[ModelFamily, ...]:
    kinds = FAMILIES.get(config_values["model.type"][0], ())
    sources = [config_values[key][0] for key in ("model.name", "model.decoder", "model.encoder")]
    source = next((str(name) for name in sources if name), "random weights")
    return tuple(ModelFamily(kind, source) for kind in kinds)


@provider(priority=1)
def seed_setting(config_values: Values, run_settings: RunSettings) -> SeedSetting:
    return SeedSetting(run_settings.seed, run_settings.place("seed"))


@provider(priority=1)
def fp16_setting(config_values: Values, run_settings: RunSettings) -> SettingLocation:
    require(run_settings.fp16, "fp16 is off")
    return run_settings.place("fp16")


@provider(priority=1)
def generation_limit(config_values: Values, run_settings: RunSettings, evaluation_generates: bool) -> GenerationLimit:
    return GenerationLimit((run_settings.generation_max_length or 20) - 1, run_settings.place("generation_max_length"))


def _place(key: str, values: Values) -> SettingLocation:
    _, source, line = values[key]
    return SettingLocation(key, source, line) if line else SettingLocation(key, source=source)
