"""Entries of TensorBoard's event files, read by TensorBoard's own reader."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnose.curves.tables import Entry
from diagnose.errors import InputError

PATTERN = "*tfevents*"


def events_in(folder: Path) -> list[Path]:
    """Event files below a folder, the oldest first."""
    return sorted(folder.rglob(PATTERN), key=lambda path: (path.stat().st_mtime, path.name))


def events_of(path: Path) -> Iterator[Entry]:
    """One entry for each step that one file tells of."""
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
    told: dict[int, dict[str, Any]] = {}
    for tag in reader.Tags()["scalars"]:
        for event in reader.Scalars(tag):
            told.setdefault(event.step, {"step": event.step})[tag] = event.value
    for tag in reader.Tags()["tensors"]:
        for event in reader.Tensors(tag):
            if (value := _scalar(event.tensor_proto)) is not None:
                told.setdefault(event.step, {"step": event.step})[tag] = value
    yield from ((f"{path}, step {step}", told[step]) for step in sorted(told))


def _scalar(proto: Any) -> float | None:
    """The number that a tensor of one element holds."""
    from tensorboard.util.tensor_util import make_ndarray

    try:
        value = make_ndarray(proto)
        return float(value) if value.size == 1 else None
    except (TypeError, ValueError):
        return None
