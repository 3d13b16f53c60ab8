"""Evaluates the model directory of a run on any test file."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError
from trainer.data.columns import configured_columns
from trainer.data.manifest import read_rows
from trainer.data.subset import Subset, rows_of_split
from trainer.evaluation.evaluate import Scores, evaluate
from trainer.evaluation.predict import RowDataset

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from trainer.config import Config
    from trainer.config.schema import Evaluation
    from trainer.models.bundle import ModelBundle


def evaluate_directory(
    model_dir: str | Path,
    test_csv: str | Path | None = None,
    output: str | Path | None = None,
    model_type: str | None = None,
    name: str | None = None,
    subset: int | None = None,
    targets: "Evaluation | None" = None,
) -> Scores:
    """Load the model of a run or checkpoint and score it, by default on its own test split and by its own targets."""
    folder = Path(model_dir)
    bundle = load_run(folder, model_type)
    if targets is not None:
        bundle = replace(bundle, config=bundle.config.model_copy(update={"evaluation": targets}))
    return evaluate_on(bundle, name or folder.resolve().name, test_csv, output, subset)


def load_run(folder: Path, model_type: str | None = None) -> "ModelBundle":
    """The model of a run or checkpoint, refused when it is not of the type that is expected."""
    from trainer.models.bundle import load_bundle

    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; --model-dir expects the output folder of a run")
    _require_finished(folder)
    _require_unchanged(folder)
    bundle = load_bundle(folder)
    _require_finite(bundle, folder)
    found = bundle.config.model.type
    if model_type not in (None, found):
        raise InputError(f"{folder}: contains a model of type {found}, but --model-type is {model_type}; remove it")
    return bundle


def _require_finished(folder: Path) -> None:
    """Refuse the folder of an unfinished run, where a model is of an earlier run; a checkpoint is no such folder."""
    from trainer.loop.checkpoints.store import checkpoints
    from trainer.loop.run_result import RESULTS
    from trainer.loop.runtime.run_lock import was_held

    if not was_held(folder) or (folder / RESULTS).exists():
        return
    saved = checkpoints(folder)
    remedy = f", or measure its last checkpoint: --model-dir {saved[-1]}" if saved else ""
    raise InputError(
        f"{folder}: the run did not finish (it has no {RESULTS}), and a model there is of an earlier run; finish it "
        f"with train --resume auto{remedy}"
    )


def _require_unchanged(folder: Path) -> None:
    """Refuse a model whose files are not those that were saved; one of an older version has no digests."""
    from trainer.loop.checkpoints.checksums import DIGESTS, verify
    from trainer.loop.checkpoints.store import step_of

    if step_of(folder) < 0 and not (folder / DIGESTS).exists():
        log.warning("%s has no %s, so its weights are not verified; train again to have one", folder, DIGESTS)
    elif reason := verify(folder):
        raise InputError(f"{folder}: {reason}; restore the folder from a copy, or train again")


def _require_finite(bundle: "ModelBundle", folder: Path) -> None:
    if bundle.fresh:
        raise InputError(f"{folder}: its model.safetensors lacks the weights {', '.join(bundle.fresh)}; train again")
    for name, value in bundle.model.state_dict().items():
        if value.is_floating_point() and not value.isfinite().all():
            raise InputError(f"{folder}: the weight {name} has NaN or infinite values; train again")


def evaluate_on(
    bundle: "ModelBundle",
    name: str,
    test_csv: str | Path | None = None,
    output: str | Path | None = None,
    subset: Subset = None,
) -> Scores:
    """Score a model on a file, or on the test split of its configuration."""
    from trainer.data.open_split import open_split

    if Path(name).name != name:
        raise InputError(f"--name {name}: expected a plain name without folders; set the folder with --output")
    config = bundle.config
    rows = rows_of_split(subset, "test")
    dataset = open_split(config, "test", rows) if test_csv is None else _open(config, Path(test_csv), rows)
    return evaluate(bundle, dataset, config, name, output or config.paths.output_dir / "results")


def _open(config: "Config", path: Path, subset: int | None) -> RowDataset:
    """Any file with the columns of a split; its audio lies below the data root of the configuration."""
    from trainer.data.dataset import SpeechDataset, TextDataset
    from trainer.data.prepare import needed_texts

    if config.model.type == "mt5":
        return TextDataset(read_rows(path, needed_texts(config))[:subset], config)
    rows = read_rows(path, ("audio_path", *needed_texts(config)), configured_columns(config))[:subset]
    return SpeechDataset(rows, config.paths.data_root, config.audio)
