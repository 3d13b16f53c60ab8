"""What a bare manifest says of a run: its rows, its splits, and where its audio is."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from diagnose.common.errors import InputError
from trainer.data.columns import configured_columns
from trainer.data.hf_dataset import SPLIT_NAMES
from trainer.data.manifest_frame import ManifestFrame, is_saved_dataset, open_dataset, open_manifest
from trainer.data.table import quoted

if TYPE_CHECKING:
    from trainer.config import Resolved

SPLIT = "split"  # a column of this name divides one manifest
Facts = dict[str, Any]


def manifest_facts(manifest: Path, evaluation: Path | None, audio_root: str | None, clips: Path) -> Facts:
    """Facts of a manifest, and of a second one with the evaluation set; `clips`: for the audio of a saved dataset."""
    if is_saved_dataset(manifest):
        splits = open_dataset(manifest, clips)
        given = {"train_rows": splits.get("train", splits.get("all")), "eval_rows": splits.get("dev")}
        return {name: rows for name, rows in given.items() if rows is not None} | {"audio_root": clips}
    read = open_manifest(manifest)
    parts = _by_column(read) if evaluation is None else {"train_rows": read, "eval_rows": open_manifest(evaluation)}
    home = manifest if manifest.is_dir() else manifest.parent
    return {**parts, "audio_root": audio_root or home}


def configured_manifests(config: "Resolved") -> Facts:
    """The splits of a configuration as columns, where they are there."""
    paths = {"train_rows": config.config.splits / "train.csv", "eval_rows": config.config.splits / "dev.csv"}
    columns = configured_columns(config.config)
    if columns is None:
        return {}
    return {name: open_manifest(path, columns) for name, path in paths.items() if path.is_file()}


def _by_column(rows: ManifestFrame) -> Facts:
    """By the column `split`, if there is one; a test set is left out, as it is from a preflight."""
    if SPLIT not in rows.frame.columns:
        return {"train_rows": rows}
    known = pl.col(SPLIT).str.to_lowercase().replace(SPLIT_NAMES)
    found = {
        name: ManifestFrame(rows.path, rows.frame.filter(known == ours))
        for name, ours in (("train_rows", "train"), ("eval_rows", "dev"))
    }
    if not len(found["train_rows"]):
        values = rows.frame[SPLIT].unique(maintain_order=True).head(5).to_list()
        raise InputError(
            f"{rows.path}: the column 'split' has {quoted(values)}, expected 'train' in some rows; rename the value, "
            "or rename the column if it means something else"
        )
    return {name: part for name, part in found.items() if len(part)}
