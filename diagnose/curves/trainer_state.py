"""Entries of trainer_state.json of transformers, and of the history that our own runs keep."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from diagnose.common.errors import InputError
from diagnose.curves.csv_jsonl import Entry

RESOLVED = "config.resolved.yaml"
BOUND = 1_000_000  # characters of a configuration; more is none


def state_of(path: Path) -> dict[str, Any]:
    """The whole of a state file, checked for its history."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({error}); pass a trainer_state.json or a log") from error
    if not isinstance(content, dict) or not isinstance(history_of(content), list):
        raise InputError(f"{path}: no log_history or history; pass a trainer_state.json, or a CSV or JSONL log")
    return content


def history_of(content: dict[str, Any]) -> Any:
    return content.get("log_history", content.get("history"))


def entries_of(path: Path, content: dict[str, Any]) -> Iterator[Entry]:
    for number, entry in enumerate(history_of(content), 1):
        if not isinstance(entry, dict):
            raise InputError(f"{path}, entry {number}: found {type(entry).__name__}, expected an object with metrics")
        yield f"{path}, entry {number}", entry


def run_settings(folder: Path, content: dict[str, Any]) -> dict[str, Any]:
    """What the files beside a log say of the run: how long, finished or not, the schedule, the phases."""
    done, total = content.get("global_step", content.get("steps")), content.get("max_steps")
    training = _training(folder)
    phases = (int(training["ctc_only_steps"]),) if training.get("ctc_only_steps") else ()
    schedule = training.get("lr_scheduler_type")
    total = total if isinstance(total, int) and total > 0 else None
    return {
        "total_steps": total,
        "finished": (folder / "train_results.json").exists() or (total is not None and done == total),
        "schedule": str(schedule) if schedule else None,
        "scaled": bool(training["fp16"]) if "fp16" in training else None,
        "phases": phases,
    }


def _training(folder: Path) -> dict[str, Any]:
    """The training section of the configuration that a run of ours keeps; empty where there is none to read."""
    try:
        text = (folder / RESOLVED).read_text(encoding="utf-8")
        content = yaml.safe_load(text) if len(text) < BOUND else None
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    found = content.get("training") if isinstance(content, dict) else None
    return found if isinstance(found, dict) else {}
