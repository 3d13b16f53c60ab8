"""The many names of one figure: what trainers call the loss, the learning rate, the gradient norm."""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from diagnose.common.errors import InputError
from diagnose.records.record import Record

STEPS = ("step", "global_step", "_step", "iteration", "iter", "steps", "update", "num_updates")
FIELDS: Mapping[str, tuple[str, ...]] = {
    "loss": ("loss", "train_loss", "training_loss", "loss_step", "epoch_loss", "step_loss"),
    "lr": ("lr", "learning_rate", "learningrate", "train_lr"),
    "grad_norm": ("grad_norm", "gradient_norm", "gnorm", "total_norm", "grad_2_0_norm_total", "gradnorm"),
    "scale": ("scale", "loss_scale", "grad_scale", "amp_scale"),
    "weight_norm": ("weight_norm", "param_norm", "parameter_norm", "weights_norm"),
    "clip": ("clip", "max_grad_norm"),
    "seconds": ("seconds", "step_time", "seconds_per_step", "batch_time", "time_per_step"),
    "loading_seconds": ("loading_seconds", "data_time", "data_loading_time", "loading_time"),
    "epoch": ("epoch",),
}
KNOWN = {name: field for field, names in FIELDS.items() for name in names}
TRAINING = re.compile(r"^(train|training)_(?=.)")
EVALUATION = re.compile(r"^(eval|val|valid|validation|dev)_(?=.)")
RATES = re.compile(r"^lr_[a-z0-9_]+$")  # Lightning's monitor: lr-AdamW, lr-AdamW/pg1
ASIDE = re.compile(r"(runtime|per_second|per_sec|samples|_memory|model_preparation_time)")


def plain(name: str) -> str:
    """`Train/Loss` and `train-loss` are train_loss."""
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_") or name


def record_of(entry: Mapping[str, Any], place: str, number: int) -> Record | None:
    """One entry of a log; None where nothing of it is known. `number` is the step where there is none."""
    values = {plain(name): value for name, value in entry.items() if value is not None and value != ""}
    if "train_runtime" in values:
        return None  # the summary at the end: means over the whole run
    step = next((values[name] for name in STEPS if name in values), number)
    fields: dict[str, Any] = {}
    parts: dict[str, float] = {}
    evaluation: dict[str, float] = {}
    for name, value in values.items():
        if (field := _field(name)) is not None:
            fields.setdefault(field, figure(value, place, name))
        elif found := EVALUATION.match(name):
            if not ASIDE.search(name) and is_figure(value):
                evaluation[name[found.end() :].removeprefix("epoch_")] = figure(value, place, name)
        elif name.endswith("_loss") and not name.startswith("test") and is_figure(value):
            parts[TRAINING.sub("", name).removesuffix("_loss")] = figure(value, place, name)
    if not set(fields) - {"epoch"} and not evaluation:
        return None
    parts = parts if "loss" in fields else {}
    return Record(_whole(step, place), parts=parts, evaluation=evaluation, **fields)


def _field(name: str) -> str | None:
    return KNOWN.get(name) or KNOWN.get(TRAINING.sub("", name)) or ("lr" if RATES.match(name) else None)


def is_figure(value: Any) -> bool:
    """Whether it reads as a number, NaN and Infinity included."""
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, bool)


def figure(value: Any, place: str, name: str) -> float:
    if not is_figure(value):
        raise InputError(f"{place}: {name} is {str(value)[:40]!r}, expected a number; fix or drop this entry")
    return float(value)


def _whole(step: Any, place: str) -> int:
    number = figure(step, place, "step")
    if not isfinite(number) or number != int(number):
        raise InputError(f"{place}: step is {str(step)[:40]!r}, expected an integer; fix or drop this entry")
    return int(number)
