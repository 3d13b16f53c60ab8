"""From a path to Records: which file it is, and what it says."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from diagnose.curves.csv_jsonl import Entry, lines_of, rows_of
from diagnose.curves.field_names import FIELDS, STEPS, record_of
from diagnose.curves.tensorboard_events import events_in, events_of
from diagnose.curves.trainer_state import entries_of, run_settings, state_of
from diagnose.records import Record, Records

TABLES = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")
IN_A_FOLDER = ("metrics/*_metrics.json", "trainer_state.json", "checkpoint-*/trainer_state.json")
LOGS = ("metrics.csv", "progress.csv", "*.csv", "*.tsv", "*.jsonl", "version_*/metrics.csv")
SHOWN = 8


def read(path: Path) -> Records:
    """The records of a file or of a run's directory."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; pass a log, or the folder of a run")
    return _folder(path) if path.is_dir() else _file(path)


def _folder(folder: Path) -> Records:
    """The newest state of a run; else its event files; else a table."""
    states = [found for pattern in IN_A_FOLDER for found in sorted(folder.glob(pattern), key=_step, reverse=True)]
    if states:
        return _state(states[0], folder)
    if events := events_in(folder):
        return _records(events_of(events), events[-1], run_settings(folder, {}))
    for pattern in LOGS:
        for path in sorted(folder.glob(pattern)):
            return _file(path)
    expected = "metrics/*_metrics.json, trainer_state.json, event file, CSV or JSONL"
    raise InputError(f"{folder}: found no {expected}; pass a log")


def _step(path: Path) -> tuple[int, float]:
    number = path.parent.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0, path.stat().st_mtime


def _file(path: Path) -> Records:
    suffix = path.suffix.lower()
    if suffix in TABLES:
        return _records(rows_of(path), path, {})
    if suffix in LINES:
        return _records(lines_of(path), path, {})
    if "tfevents" in path.name:
        return _records(events_of([path]), path, {})
    if suffix == ".json":
        return _state(path, path.parent)
    raise InputError(f"{path}: expected trainer_state.json, an event file (*tfevents*), .csv, .tsv or .jsonl")


def _state(path: Path, folder: Path) -> Records:
    content = state_of(path)
    run = folder.parent if folder.name.startswith("checkpoint-") or folder.name == "metrics" else folder
    return _records(entries_of(path, content), path, run_settings(run, content))


def _records(entries: Iterable[Entry], path: Path, settings: dict[str, Any]) -> Records:
    names: dict[str, None] = {}
    rows: list[Record] = []
    for number, (place, entry) in enumerate(entries, 1):
        names.update(dict.fromkeys(entry))
        if row := record_of(entry, place, number):
            rows.append(row)
    if not rows:
        found = f"found {', '.join(list(map(str, names))[:SHOWN])}" if names else "it is empty"
        fields = ", ".join(synonyms[0] for synonyms in FIELDS.values())
        raise InputError(f"{path}: no training metrics in it: {found}; expected {STEPS[0]}, {fields} and similar")
    return Records.of(rows, source=str(path), **settings)
