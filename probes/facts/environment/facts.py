"""What is installed, and whether this run can read, compute and write with it."""

import os
import shutil
from pathlib import Path
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from diagnose.torchaudio_repair import build_of, builds_match, libraries
from probes.facts.core.require import has_items, require
from probes.facts.corpus.types import Corpus
from probes.facts.environment.types import (
    CheckpointRoom,
    Devices,
    ItemReading,
    NumpyBridge,
    PackageImport,
    PackageLocation,
    TokenizerNeeds,
    TorchBuilds,
)
from probes.facts.parameters.types import Parameters
from probes.facts.settings.types import EventCount, RunSettings

PACKAGES = ("numpy", "torch", "torchaudio", "transformers", "accelerate", "safetensors", "soundfile")
RIVALS = ("trainer", "coqui-tts-trainer", "coqui-trainer")  # on the index, and all of them install a package `trainer`
WIDTHS = {"float64": 8, "int64": 8, "float16": 2, "bfloat16": 2, "int8": 1, "uint8": 1}  # bytes; all others take 4
STATES = {"adafactor": 0.0, "sgd": 1.0, "lion": 1.0, "adagrad": 1.0, "rmsprop": 1.0, "8bit": 0.5}  # of the weights


@provider
def torch_builds() -> TorchBuilds:
    """torch and torchaudio by their own version files; without its libraries torchaudio runs beside any torch."""
    torch, torchaudio = build_of("torch"), build_of("torchaudio")
    return TorchBuilds(torch, torchaudio, loads=builds_match(torch, torchaudio) or not libraries(".so"))


@provider
def packages() -> tuple[PackageImport, ...]:
    """Each package imported in a process beside this one, unless this one has it already."""
    from probes.facts.environment.import_check import imports

    return imports(PACKAGES)


@provider
def numpy_bridge(packages: tuple[PackageImport, ...]) -> NumpyBridge:
    absent = [package.name for package in packages if package.name in ("numpy", "torch") and not package.imported]
    require(not absent, f"{' and '.join(absent)} cannot be imported", Unavailable)
    from probes.facts.environment.numpy_bridge import round_trip_in_fork

    return round_trip_in_fork()


@provider
def trainer_package() -> PackageLocation:
    from probes.facts.environment.package_lookup import find_package

    return find_package("trainer", marks=("facts/config_facts.py", "config/schema.py"), rivals=RIVALS)


@provider
def tokenizer_needs(tokenizer_source: str) -> TokenizerNeeds:
    from probes.facts.environment.import_check import imports
    from probes.facts.environment.tokenizer_files import packages_for

    why, names = packages_for(tokenizer_source)
    broken = [package for package in imports(names) if not package.imported]
    reasons = tuple(package.ended or package.error for package in broken)
    return TokenizerNeeds(tokenizer_source, why, names, tuple(package.name for package in broken), reasons)


@provider
def item_reading(readable_dataset: Any, train_manifest: Corpus | None = None) -> ItemReading:
    """The first item, one in the middle, the last: until one can be read."""
    from probes.facts.audio.decode_files import decode_row
    from probes.facts.core.fork import CannotFork
    from probes.facts.environment.read_items import read_one_of

    total = len(readable_dataset) if has_items(readable_dataset) else 1
    numbers = sorted({0, total // 2, total - 1})
    try:
        told = read_one_of(readable_dataset, numbers)
    except CannotFork as reason:
        raise NotApplicable(f"items are read in a separate process, and {reason}") from reason
    rows = train_manifest.rows if train_manifest and len(train_manifest.rows) == total else ()
    files = [rows[number].path for number in numbers[: told.tried] if rows and not decode_row(rows[number]).problem]
    require(told.read or told.missing or files, f"no item could be read, but not because of a decoder: {told.error}")
    where = rows[numbers[told.tried - 1]].where if rows else f"training item {numbers[told.tried - 1]}"
    return ItemReading(
        where, told.tried, told.read, told.error, told.line, str(files[-1]) if files else "", told.missing
    )


@provider
def devices(run_settings: RunSettings) -> Devices:
    """Only of a run that trains: what merely measures takes the device that is there."""
    from probes.facts.environment.devices import present

    named = [(str(run_settings.place("device")), run_settings.device)] if run_settings.device else []
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").strip()
    if visible not in ("", "-1"):  # these two hide every GPU
        named.append(("CUDA_VISIBLE_DEVICES", f"cuda:{len(visible.split(',')) - 1}"))
    if chosen := os.environ.get("ACCELERATE_TORCH_DEVICE"):
        named.append(("ACCELERATE_TORCH_DEVICE", chosen))
    require(named and not run_settings.use_cpu, "the run sets no device: it uses the available one")
    return Devices(tuple(named), present(), build_of("torch"))


@provider
def checkpoint_disk_space(
    run_settings: RunSettings, checkpoint_count: EventCount, parameters: Parameters, optimizer: Any = None
) -> CheckpointRoom:
    """Weights and the optimiser's state, as often as they lie on the disk at once."""
    if run_settings.output_dir is None:
        raise NotApplicable("the output folder is unknown")
    count = checkpoint_count.count + checkpoint_count.once_more_at_end
    require(count, "the run saves no checkpoints")
    limit = run_settings.save_total_limit or count
    kept = max(limit, 2 if run_settings.load_best else 1) + 1  # the oldest goes only when the newest is whole
    weights = sum(row.size * WIDTHS.get(row.dtype, 4) for row in parameters.rows)
    trained = sum(row.size * WIDTHS.get(row.dtype, 4) for row in parameters.rows if row.trainable)
    state = 0 if run_settings.save_only_model else int(_states(run_settings, optimizer) * trained)
    place = Path(run_settings.output_dir).resolve()
    folder = next(path for path in (place, *place.parents) if path.exists())
    return CheckpointRoom(str(folder), shutil.disk_usage(folder).free, weights, state, min(kept, count))


def _states(settings: RunSettings, optimizer: Any) -> float:
    """How many numbers the optimiser keeps for each weight; Adam and its kin keep two."""
    name = type(optimizer).__name__.lower() if optimizer is not None else settings.optimizer.lower()
    if name.endswith("sgd") and optimizer is not None:
        return float(any(group.get("momentum") for group in optimizer.param_groups))
    return next((share for part, share in STATES.items() if part in name), 2.0)


@provider
def present_devices() -> tuple[str, ...]:
    from probes.facts.environment.devices import present

    return present()
