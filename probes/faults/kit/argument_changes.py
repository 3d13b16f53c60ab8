"""Training arguments that faults are written into."""

import copy
from collections.abc import Callable
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, drop_keys
from probes.faults.kit.module_changes import with_optimizer

RATES = {"learning_rate", "warmup_steps", "max_steps"}
KEYS = {"per_device_train_batch_size": "batch_size"}  # where the configuration has a name of its own


def with_arguments(facts: Facts, **arguments: Any) -> Facts:
    """The facts with these arguments: in the configuration, or in a dict of transformers' that is sound otherwise."""
    if "config_values" in facts:
        return {**facts, "config_values": _config_with(facts["config_values"], arguments)}
    steps = updates_of(facts)
    sound = {"max_steps": steps, "save_steps": steps // 4, "warmup_steps": steps // 10, "learning_rate": 1e-3}
    others = drop_keys(facts, "scheduler") if RATES & arguments.keys() else facts  # it is built of other arguments
    return {**others, "training_arguments": {"output_dir": "outputs", **sound, **arguments}}


def with_fp16(facts: Facts, *devices: str) -> Facts:
    """The facts of a run in fp16 on a machine with these devices."""
    changed = with_arguments(facts, fp16=True) if "config_values" in facts else facts
    return {**changed, "precision": "fp16", "present_devices": devices}


def with_rate(facts: Facts, rate: float) -> Facts:
    """The facts of a run whose learning rate is this one, at the height of its schedule."""
    changed = with_arguments(facts, learning_rate=rate) if "config_values" in facts else dict(facts)
    arguments = changed.get("training_arguments")
    if arguments is not None:
        changed["training_arguments"] = _with_learning_rate(arguments, rate)
    return with_optimizer(drop_keys(changed, "scheduler"), rate)


def _with_learning_rate(arguments: Any, rate: float) -> Any:
    if isinstance(arguments, dict):
        return {**arguments, "learning_rate": rate}
    changed = copy.copy(arguments)
    changed.learning_rate = rate
    return changed


def argument(facts: Facts, name: str) -> Any:
    if "config_values" in facts:
        return facts["config_values"].get(_key(name), (None,))[0]
    arguments = facts.get("training_arguments", {})
    return arguments.get(name) if isinstance(arguments, dict) else getattr(arguments, name, None)


def argument_is(name: str, value: Any) -> Callable[[Facts], bool]:
    return lambda facts: bool(argument(facts, name) == value)


def updates_of(facts: Facts) -> int:
    """How many updates the run makes."""
    return int(facts.get("total_steps", 100))


def _key(name: str) -> str:
    return f"training.{KEYS.get(name, name)}"


def _config_with(values: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """As if they stood in the file; what its reader would refuse is no fault that could reach a run."""
    changed = dict(values)
    for name, value in arguments.items():
        key = _key(name)
        if key not in values:
            raise NotApplicable(f"the configuration has no key {key}: its reader refuses it")
        if not _has_type_of(value, values[key][0]):
            raise NotApplicable(f"the configuration's reader refuses {value!r} for {key}")
        changed[key] = (value, "put in by the drill", None)
    if "warmup_steps" in arguments:
        changed["training.warmup_ratio"] = (0.0, "put in by the drill", None)
    return changed


def _has_type_of(value: Any, usual: Any) -> bool:
    """Numbers for numbers, text for text; where nothing stands, anything may."""
    if usual is None:
        return True
    return isinstance(value, int | float if isinstance(usual, int | float) else type(usual))


BEST = {"eval_strategy": "steps", "load_best_model_at_end": True, "metric_for_best_model": "loss"}
