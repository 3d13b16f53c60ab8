"""`train init`: reads the data, chooses, and writes a configuration with its splits; nothing if anything is wrong."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from diagnose.common.atomic_write import write_files
from diagnose.common.errors import InputError
from trainer.data.columns import usual_columns
from trainer.data.manifest import columns_of, table_text
from trainer.init.choices import Settings, settings_for
from trainer.init.data import PreparedData, prepare_documents, prepare_speech
from trainer.init.machine import Machine, this_machine
from trainer.init.model_choices import ModelChoice, choose_model
from trainer.init.source import DataSource, find_source
from trainer.init.speech_rows import name_documents
from trainer.init.template import to_commented_yaml

CONFIG, SPLITS, OUTPUTS = "config.yaml", "splits", "outputs"
SMALL = 3600  # seconds of speech; the demo learns a closed vocabulary from an hour


@dataclass(frozen=True)
class InitOptions:
    """What a person may say; the rest is found or guessed."""

    directory: Path = Path()
    manifest: str | None = None
    model: str | None = None
    weights: str = "auto"
    language: str = ""
    columns: Mapping[str, str | None] | None = None
    force: bool = False


def init(options: InitOptions, machine: Machine | None = None) -> list[str]:
    """Write the configuration and the splits; the lines to print."""
    machine = machine or this_machine()
    _require_free(options)
    source = find_source(options.directory, options.manifest)
    text_task = _is_text_task(source, options.model)
    named = options.columns or {}
    data = (
        prepare_documents(source) if text_task else prepare_speech(source, options.directory, named, options.language)
    )
    summary = data.summary
    model = choose_model(
        options.model, options.weights, text_task, summary.characters, summary.task, summary.language, machine
    )
    settings = {
        **_paths(options, source, data, model),
        **settings_for(summary, machine, model),
        **_targets(summary.task),
    }
    files = _files(options, source, data, settings)
    write_files(files)
    return [*_lines({**data.lines, "machine": str(machine), "model": str(model)}), *_next(options, data, model, files)]


def _config_path(options: InitOptions) -> Path:
    return options.directory / CONFIG


def _require_free(options: InitOptions) -> None:
    """Refuse to overwrite, before anything is read."""
    if options.directory.exists() and not options.directory.is_dir():
        raise InputError(
            f"{options.directory}: found a file, expected a folder; name it with --manifest {options.directory}"
        )
    splits = [options.directory / SPLITS / f"{name}.csv" for name in ("train", "dev", "test")]
    existing = [path for path in (_config_path(options), *splits) if path.exists()]
    if existing and not options.force:
        raise InputError(f"{existing[0]}: exists already, and would be overwritten; move it away, or add --force")


def _is_text_task(source: DataSource, model: str | None) -> bool:
    if model is not None:
        return model == "mt5"
    columns = next(iter(source.tables.values())).columns
    return "audio_path" not in usual_columns(columns) and name_documents(source.tables) is not None


def _paths(options: InitOptions, source: DataSource, data: PreparedData, model: ModelChoice) -> Settings:
    def relative(path: Path) -> str:
        return Path(os.path.relpath(path.resolve(), data.root.resolve())).as_posix()

    outputs = options.directory / OUTPUTS
    return {
        "paths.data_root": (
            _shown(data.root),
            "" if data.summary.task == "summarize" else "audio paths are relative to it",
        ),
        "paths.manifest_path": (relative(source.path), ""),
        "paths.splits_dir": (relative(options.directory / SPLITS), "train.csv, dev.csv and test.csv"),
        "paths.output_dir": (_shown(outputs), ""),
        "output.dir": (_shown(outputs / model.type), "model, checkpoints and log of this run"),
        "output.experiment_name": (model.type, ""),
        **data.settings,
    }


def _shown(path: Path) -> str:
    return path.as_posix()


def _targets(task: str) -> Settings:
    targets = {"wer": 15, "cer": 10} if task in ("transcribe", "both") else {}
    targets |= {"bleu": 25, "chrf": 50} if task in ("translate", "both") else {}
    targets |= {"rouge1": 50, "rouge2": 30} if task == "summarize" else {}
    return {f"evaluation.targets.{name}": (value, "") for name, value in targets.items()}


def _files(options: InitOptions, source: DataSource, data: PreparedData, settings: Settings) -> dict[Path, str]:
    files = {
        path: table_text(path, rows, columns_of(rows))
        for name, rows in data.splits.items()
        if (path := options.directory / SPLITS / f"{name}.csv")
    }
    if source.exported:
        rows = [row for table in source.tables.values() for row in table.rows]
        files[source.path] = table_text(source.path, rows, columns_of(rows))
    config = _config_path(options)
    return {config: to_commented_yaml(_shown(config), settings), **files}


def _lines(found: Mapping[str, str]) -> list[str]:
    return [f"{name + ':':<10}{text}" for name, text in found.items()]


def _next(options: InitOptions, data: PreparedData, model: ModelChoice, files: Mapping[Path, str]) -> list[str]:
    config = _shown(_config_path(options))
    lines = [f"{'wrote:':<10}{', '.join(map(_shown, files))}"]
    if not model.pretrained and 0 < data.summary.seconds < SMALL:
        lines.append(
            f"{'note:':<10}less than an hour of speech: a model from random weights learns these clips and does not "
            "transcribe new sentences yet; add data, or fine-tune: train init --model whisper --force"
        )
    commands = ("diagnose preflight", "train", "train evaluate")
    steps = [f"{command} --config {config}" for command in commands]
    return [*lines, f"{'next:':<10}{steps[0]}", *(f"{'':<10}{step}" for step in steps[1:])]
