"""Entries of TensorBoard's event files, read by TensorBoard's own reader."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from diagnose.curves.csv_jsonl import Entry
from diagnose.curves.field_names import EVALUATION, plain

PATTERN = "*tfevents*"


def events_in(folder: Path) -> list[Path]:
    """Event files below a folder, the oldest first."""
    return sorted(folder.rglob(PATTERN), key=lambda path: (path.stat().st_mtime, path.name))


def events_of(paths: Sequence[Path]) -> Iterator[Entry]:
    """One entry for each step. Files lie side by side (train and eval) or follow each other: the later one counts."""
    by_step: dict[int, dict[str, Any]] = {}
    for path in paths:
        aside = "eval/" if EVALUATION.match(f"{path.parent.name.lower()}_x") else ""
        for tag, step, value in _scalars(path):
            by_step.setdefault(step, {"step": step})[tag if EVALUATION.match(plain(tag)) else f"{aside}{tag}"] = value
    yield from ((f"{paths[-1]}, step {step}", by_step[step]) for step in sorted(by_step))


def _scalars(path: Path) -> Iterator[tuple[str, int, float]]:
    try:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    except ImportError as error:
        raise InputError(f"{path}: reading event files needs the package tensorboard; install it") from error
    logging.getLogger("tensorboard").setLevel(logging.ERROR)
    reader: Any = EventAccumulator(str(path), size_guidance={"scalars": 0, "tensors": 0})
    try:
        reader.Reload()
    except Exception as error:
        raise InputError(f"{path}: TensorBoard cannot read it ({type(error).__name__}: {error})") from error
    for tag in reader.Tags()["scalars"]:
        yield from ((tag, event.step, event.value) for event in reader.Scalars(tag))
    for tag in reader.Tags()["tensors"]:
        values = ((event.step, _scalar(event.tensor_proto)) for event in reader.Tensors(tag))
        yield from ((tag, step, value) for step, value in values if value is not None)


def _scalar(proto: Any) -> float | None:
    """The number that a tensor of one element holds."""
    from tensorboard.util.tensor_util import make_ndarray

    try:
        value = make_ndarray(proto)
        return float(value) if value.size == 1 else None
    except (TypeError, ValueError):
        return None
