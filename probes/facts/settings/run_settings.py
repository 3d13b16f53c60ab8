"""The settings of a run in one form, under the names of transformers' arguments."""

import math
import os
from collections.abc import Mapping
from typing import Any

from probes.facts.settings.hf_arguments import are_transformers, as_mapping, is_hf_arguments, known, place_of, value_of
from probes.facts.settings.types import RunSettings, SettingLocation

# By the field of RunSettings: the name of the argument, and what makes a plain value of it.
WHOLE = {
    "batch_size": "per_device_train_batch_size",
    "accumulation": "gradient_accumulation_steps",
    "max_steps": "max_steps",
    "save_total_limit": "save_total_limit",
    "patience": "early_stopping_patience",
    "seed": "seed",
    "generation_max_length": "generation_max_length",
}
NUMBERS = {
    "epochs": "num_train_epochs",
    "learning_rate": "learning_rate",
    "warmup": "warmup_steps",
    "eval_steps": "eval_steps",
    "eval_delay": "eval_delay",
    "save_steps": "save_steps",
    "clipping": "max_grad_norm",
}
WORDS = {
    "output_dir": "output_dir",
    "schedule": "lr_scheduler_type",
    "eval_strategy": "eval_strategy",
    "save_strategy": "save_strategy",
    "metric": "metric_for_best_model",
    "device": "device",
    "optimizer": "optim",
}
FLAGS = {
    "save_only_model": "save_only_model",
    "load_best": "load_best_model_at_end",
    "fp16": "fp16",
    "bf16": "bf16",
    "checkpointing": "gradient_checkpointing",
    "remove_unused_columns": "remove_unused_columns",
    "predict_with_generate": "predict_with_generate",
    "use_cpu": "use_cpu",
}
NAMES = {**WHOLE, **NUMBERS, **WORDS, **FLAGS, "greater_is_better": "greater_is_better"}
Values = Mapping[str, Any]


def settings_of(kind: str, values: Values, places: Mapping[str, SettingLocation], **more: Any) -> RunSettings:
    """From values under transformers' names; what is missing or nonsense stays unknown."""
    read: dict[str, Any] = {field: _whole(values.get(name)) for field, name in WHOLE.items()}
    read |= {field: _number(values.get(name)) for field, name in NUMBERS.items()}
    read |= {field: str(values[name]) for field, name in WORDS.items() if values.get(name) is not None}
    read |= {field: values.get(name) is True for field, name in FLAGS.items()}
    read["eval_delay"] = read["eval_delay"] or 0.0
    better = values.get("greater_is_better")
    read["greater_is_better"] = better if isinstance(better, bool) else None
    numbers = {**WHOLE, **NUMBERS}
    texts = {field: values[name] for field, name in numbers.items() if isinstance(values.get(name), str)}
    found = {field: places[name] for field, name in NAMES.items() if name in places}
    return RunSettings(kind=kind, **(read | more), texts=texts, places=found)


def settings_of_arguments(arguments: Any, trainer: Any = None) -> RunSettings:
    """From an object or a dict; what a dict for transformers leaves out is at its default there."""
    theirs = are_transformers(arguments)
    names = list(dict.fromkeys((*NAMES.values(), "logging_steps")))
    if is_hf_arguments(arguments):
        names.remove("device")  # there it is what was found, not what was asked for
    found = {name: value_of(arguments, name, known().get(name) if theirs else None) for name in names}
    values = {name: value for name, (_, value) in found.items()}
    places = {name: place_of(arguments, spelt) for name, (spelt, _) in found.items()}
    if theirs:
        values = _follow(values)
    options = as_mapping(arguments).get("gradient_checkpointing_kwargs")
    more: dict[str, Any] = {"reentrant": bool(isinstance(options, Mapping) and options.get("use_reentrant"))}
    more["processes"] = _processes(arguments)
    kind = "transformers" if theirs else "other"
    return settings_of(kind, values, places, **(more | _of_trainer(trainer, values)))


def _follow(values: dict[str, Any]) -> dict[str, Any]:
    """What transformers derives when the arguments are made."""
    values = {**values, "eval_steps": values["eval_steps"] or values["logging_steps"]}
    if values["load_best_model_at_end"] and values["metric_for_best_model"] is None:
        values["metric_for_best_model"] = "loss"
    if values["greater_is_better"] is None and values["metric_for_best_model"] is not None:
        values["greater_is_better"] = not str(values["metric_for_best_model"]).endswith("loss")
    return values


def _of_trainer(trainer: Any, values: Values) -> dict[str, Any]:
    if trainer is None:
        return {"patience_known": values.get("early_stopping_patience") is not None}
    stoppers = [getattr(one, "early_stopping_patience", None) for one in trainer.callback_handler.callbacks]
    patience = next((count for count in stoppers if isinstance(count, int)), None)
    loops = (type(trainer).evaluate, type(trainer).evaluation_loop)
    theirs = all(loop.__module__.startswith("transformers.") for loop in loops)
    plain = theirs and trainer.compute_metrics is None and not isinstance(trainer.eval_dataset, dict)
    return {"patience": patience, "patience_known": True, "metric_names": ("loss",) if plain else None}


def _processes(arguments: Any) -> int:
    if is_hf_arguments(arguments):
        return int(arguments.world_size) * max(1, int(arguments.n_gpu))
    return _whole(os.environ.get("WORLD_SIZE")) or 1


def _number(value: Any) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _whole(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
