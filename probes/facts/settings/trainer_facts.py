"""The same facts of any other run: from a transformers Trainer, from its arguments, or from plain facts."""

import math
from collections.abc import Mapping
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require
from probes.facts.settings.hf_arguments import ArgumentNames
from probes.facts.settings.types import EventCount, ModelFamily, RunSettings, SeedSetting, SettingLocation, UpdateCount


@provider(priority=2)
def run_settings(training_arguments: Any, trainer: Any = None) -> RunSettings:
    from probes.facts.settings.hf_arguments import as_mapping
    from probes.facts.settings.run_settings import settings_of_arguments

    if not isinstance(as_mapping(training_arguments), Mapping) or not as_mapping(training_arguments):
        raise NotApplicable(f"the arguments are a {type(training_arguments).__name__} without keys")
    return settings_of_arguments(training_arguments, trainer)


@provider(priority=2)
def update_count(total_steps: int, run_settings: RunSettings | None = None, train_batches: Any = None) -> UpdateCount:
    if not isinstance(total_steps, int) or total_steps < 1:
        raise Unavailable(f"total_steps is {total_steps!r}, expected a number of updates above zero")
    if run_settings is None or run_settings.batch_size is None:
        return UpdateCount(total_steps)
    accumulation = run_settings.accumulation or 1
    rows = run_settings.batch_size * accumulation * run_settings.processes * run_settings.rows_per_item
    batches = len(train_batches) if hasattr(train_batches, "__len__") else None
    return UpdateCount(total_steps, rows, math.ceil(batches / accumulation) if batches else None)


@provider
def evaluation_count(run_settings: RunSettings, update_count: UpdateCount) -> EventCount:
    settings = run_settings
    return _moments(settings.eval_strategy, settings.eval_steps, settings.eval_delay, update_count, settings.kind)


@provider
def checkpoint_count(run_settings: RunSettings, update_count: UpdateCount) -> EventCount:
    return _moments(run_settings.save_strategy, run_settings.save_steps, 0.0, update_count, run_settings.kind)


@provider(priority=2)
def argument_names(training_arguments: Any, run_settings: RunSettings) -> ArgumentNames:
    from probes.facts.settings.hf_arguments import names_of

    if run_settings.kind != "transformers":
        raise NotApplicable("these are not TrainingArguments: less than half of the names are known")
    return names_of(training_arguments)


@provider(priority=2)
def readable_dataset(train_dataset: Any) -> Any:
    return train_dataset


@provider(priority=2)
def tokenizer_source(tokenizer: Any) -> str:
    source = getattr(tokenizer, "name_or_path", "")
    if not isinstance(source, str) or not source:
        raise NotApplicable("the tokenizer was not read from files")
    return source


@provider(priority=2)
def model_families(model: Any) -> tuple[ModelFamily, ...]:
    """Of the model and its parts, by what their configurations call themselves."""
    config = getattr(model, "config", None)
    parts = [config, *(getattr(config, name, None) for name in ("encoder", "decoder", "text_config"))]
    kinds = [kind for part in parts if isinstance(kind := getattr(part, "model_type", None), str) and kind]
    require(kinds, "the model has no model_type")
    return tuple(ModelFamily(kind, type(model).__name__) for kind in dict.fromkeys(kinds))


@provider(priority=2)
def fp16_setting(precision: str, run_settings: RunSettings | None = None) -> SettingLocation:
    require(precision == "fp16", f"the run is in {precision}")
    return run_settings.place("fp16") if run_settings and run_settings.fp16 else SettingLocation("precision")


@provider(priority=2)
def seed_setting(training_arguments: Any, run_settings: RunSettings, seed: int | None = None) -> SeedSetting:
    """Given as a fact, or among the arguments; an object of transformers always has one."""
    from probes.facts.settings.hf_arguments import as_mapping

    if seed is not None:
        return SeedSetting(seed, run_settings.place("seed"))
    values = as_mapping(training_arguments)
    written = "seed" in values
    return SeedSetting(
        None if written and values["seed"] is None else run_settings.seed, run_settings.place("seed"), written
    )


def _moments(strategy: str | None, steps: float | None, delay: float, plan: UpdateCount, kind: str) -> EventCount:
    """Trainers also evaluate and save after the last step, unless that was due anyway."""
    require(strategy is not None, "the schedule of evaluations is unknown")
    if strategy == "no":
        return EventCount(0)
    if strategy == "epoch":
        epochs = math.ceil(plan.epochs) if plan.epochs else 1
        return EventCount(max(0, epochs - math.ceil(delay)), plan.updates_per_epoch)
    if not steps or steps <= 0:
        raise NotApplicable("the number of steps is unknown")
    every = math.ceil(steps * plan.updates) if steps < 1 else int(steps)
    before = max(0, math.ceil(delay / every) - 1)  # those that fall into the delay
    count = max(0, plan.updates // every - before)
    at_end = kind != "other" and plan.updates % every != 0 and plan.updates >= delay
    return EventCount(count, every, at_end)
