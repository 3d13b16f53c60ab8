"""What a schedule says of itself: its kind, the steps it was made for, its warm-up."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

LENGTHS = ("T_max", "total_steps", "total_iters")  # what torch's own schedules call their length
LENGTH_NAMES = ("num_training_steps", "total_steps", "max_steps", "t_total", "num_total_steps")  # in functions
WARMUP_NAMES = ("num_warmup_steps", "warmup_steps", "warmup", "n_warmup_steps")


def unwrapped(scheduler: Any) -> Any:
    """accelerate wraps a schedule to step it with its optimiser."""
    return getattr(scheduler, "scheduler", scheduler)


def length_of(scheduler: Any) -> int | None:
    """The number of steps it was made for, where it says so; of several in a row, up to the end of the last."""
    parts = getattr(scheduler, "_schedulers", None)
    if parts:
        last, before = length_of(parts[-1]), (getattr(scheduler, "_milestones", None) or [0])[-1]
        return None if last is None else before + last
    if type(scheduler).__name__ in ("ConstantLR", "LinearLR"):  # after these, a run goes on at the full rate
        return None
    named = [getattr(scheduler, name, None) for name in LENGTHS]
    return next((length for length in named if isinstance(length, int)), None) or _argument(scheduler, LENGTH_NAMES)


def warmup_of(scheduler: Any) -> int | None:
    return _argument(scheduler, WARMUP_NAMES)


def kind_of(scheduler: Any) -> str:
    """LambdaLR says nothing: its function's name does."""
    functions = getattr(scheduler, "lr_lambdas", ())
    inner = getattr(functions[0], "func", functions[0]) if functions else None
    name = getattr(inner, "__name__", "").strip("_").removeprefix("get_").removesuffix("_lr_lambda")
    return f"{type(scheduler).__name__} ({name})" if name and name != "<lambda>" else type(scheduler).__name__


def _argument(scheduler: Any, names: Sequence[str]) -> int | None:
    """A number that a schedule's function was given under one of these names."""
    for function in getattr(scheduler, "lr_lambdas", ()):
        values = _bound_arguments(function)
        value = next((values[name] for name in names if isinstance(values.get(name), int)), None)
        if value is not None:
            return int(value)
    return None


def _bound_arguments(function: Any) -> Mapping[str, Any]:
    """What partial or a closure gave it."""
    values = dict(getattr(function, "keywords", {}))
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, getattr(function, "__closure__", None) or (), strict=False):
        with suppress(ValueError):  # a cell that nothing was put into yet
            values[name] = cell.cell_contents
    return values
