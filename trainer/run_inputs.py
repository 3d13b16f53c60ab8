"""The files that a run reads, and the inputs that a receipt digests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.common.errors import InputError
from diagnose.common.flat_keys import flatten_keys
from trainer.config import Config
from trainer.config.load import as_plain_dict
from trainer.data.columns import configured_columns
from trainer.data.manifest import read_readable_rows, read_rows

if TYPE_CHECKING:
    from trainer.config import Resolved


# A receipt holds whatever these say: no check reads them, and no step of the training depends on them.
NOT_JUDGED = ("training.logging_steps", "output.experiment_name", "paths.output_dir")


def audio_files(config: Config, manifests: Sequence[Path]) -> tuple[Path, ...]:
    """Of every row of these manifests."""
    root, columns = config.paths.data_root, configured_columns(config)
    rows = (row for path in manifests for row in read_readable_rows(path, columns)[0])
    return tuple(root / row["audio_path"] for row in rows if row.get("audio_path"))


def model_files(*names: str | None) -> tuple[Path, ...]:
    """The files of local model directories; a name on the hub is pinned by the configuration alone."""
    folders = [Path(name) for name in names if name and Path(name).is_dir()]
    return tuple(sorted(path for folder in folders for path in folder.iterdir() if path.is_file()))


def receipt_inputs(config: Resolved) -> dict[str, Any]:
    """As diagnose.gate.digests.DigestInputs names it."""
    values = as_plain_dict(config.config)
    manifests = tuple(path for name in ("train", "dev") if (path := config.config.splits / f"{name}.csv").exists())
    model = config.config.model
    return {
        "output_dir": config.config.output.dir,
        "config": {key: value for key, value in flatten_keys(values).items() if key not in NOT_JUDGED},
        "config_path": config.path,
        "manifests": manifests,
        "audio_files": audio_files(config.config, manifests),
        "weight_files": model_files(model.name, model.encoder, model.decoder, model.tokenizer),
        "random_weights_key": {"seed": values["training"]["seed"], "model": values["model"]},
    }


def require_inputs(config: Config, weights: bool = True) -> None:
    """Refuse missing data and weights that cannot be loaded, before the preflight."""
    from trainer.loop.reporters import require_reporters
    from trainer.models.pretrained import is_directory, load

    require_reporters(config.training.report_to)
    for key, folder in (("paths.data_root", config.paths.data_root), ("output.dir", config.output.dir)):
        if folder.is_file():
            raise InputError(f"{key}: {folder} is a file, expected a folder; set {key} to another path")
    for name in ("train", "dev") if config.training.eval_strategy != "no" else ("train",):
        path = config.splits / f"{name}.csv"
        if not path.exists():
            raise InputError(f"{path}: there is no {name} set; run `train split`, or correct paths.splits_dir")
        read_rows(path)  # one that is empty or cannot be read would block nearly every probe
    for key, name in pretrained(config).items():
        if weights and not is_directory(name, key):
            from transformers import AutoConfig

            load(AutoConfig, name, key)


def pretrained(config: Config) -> dict[str, str]:
    """The keys that name weights, with the names; none for random weights."""
    named = {f"model.{key}": getattr(config.model, key) for key in ("name", "encoder", "decoder")}
    return {key: name for key, name in named.items() if name}
