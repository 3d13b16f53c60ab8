"""The loss curve and the evaluation metrics of a run, read from its files."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError

Curve = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class RunHistory:
    """One training: the loss over steps, in training and on the dev set, and what else was logged by its name."""

    name: str
    training: Curve
    evaluation: Curve
    curves: Mapping[str, Curve] = field(default_factory=dict)


@dataclass(frozen=True)
class EvaluationResult:
    """One evaluation: metric names and values, and the targets of some, such as `< 15`."""

    name: str
    figures: Mapping[str, float]
    targets: Mapping[str, str] = field(default_factory=dict)


def read_run(directory: str | Path) -> RunHistory:
    """The loss curves in metrics/; else those in trainer_state.json of the run or its newest checkpoint."""
    folder = Path(directory)
    for path in _candidates(folder):
        content = _read(path)
        entries = content.get("history") or content.get("log_history") or []
        curves = {
            name: curve
            for name in sorted(set().union(*entries) - {"step", "epoch"})
            if (curve := _curve(entries, name))
        }
        run = RunHistory(folder.resolve().name, curves.pop("loss", ()), curves.pop("eval_loss", ()), curves)
        if run.training or run.evaluation:
            return run
    raise InputError(
        f"{folder}: no loss in metrics/*_metrics.json or trainer_state.json; pass the output folder of a run"
    )


def read_result(path: str | Path) -> EvaluationResult:
    """A `{name}_metrics.json` of the evaluation."""
    content = _read(Path(path))
    figures = {name: float(value) for name, value in content.items() if _is_figure(value)}
    name = str(content.get("name") or Path(path).name.removesuffix("_metrics.json"))
    return EvaluationResult(name, figures, dict(_targets(content.get("details"))))


def _targets(details: object) -> Iterable[tuple[str, str]]:
    for name, found in details.items() if isinstance(details, dict) else ():
        target = found.get("target") if isinstance(found, dict) else None
        if isinstance(target, str) and re.fullmatch(r"[<>] [0-9]+([.][0-9]+)?", target):
            yield name, target


def _candidates(folder: Path) -> Iterable[Path]:
    yield from sorted(folder.glob("metrics/*_metrics.json"))
    yield from sorted(folder.glob("trainer_state.json"))
    checkpoints = [path for path in folder.glob("checkpoint-*/trainer_state.json") if _step(path) is not None]
    yield from sorted(checkpoints, key=lambda path: -(_step(path) or 0))


def _step(path: Path) -> int | None:
    number = path.parent.name.removeprefix("checkpoint-")
    return int(number) if number.isdecimal() else None


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: cannot be read as JSON ({error}); run the training or the evaluation again"
        ) from error
    if not isinstance(content, dict):
        raise InputError(f"{path}: found {type(content).__name__}, expected an object with metrics by name")
    return content


def _curve(entries: Sequence[Mapping[str, Any]], name: str) -> Curve:
    """Points by step; a resumed run may have logged a step twice, and then the later one counts."""
    points = {entry["step"]: entry[name] for entry in entries if "step" in entry and _is_figure(entry.get(name))}
    return tuple(sorted(points.items()))


def _is_figure(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
