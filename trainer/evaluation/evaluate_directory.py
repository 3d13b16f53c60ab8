"""Evaluates the model directory of a run on any test file."""

from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError
from trainer.data.manifest import read_rows
from trainer.evaluation.evaluate import Scores, evaluate
from trainer.evaluation.predict import RowDataset

if TYPE_CHECKING:
    from trainer.config import Config
    from trainer.models.bundle import ModelBundle


def evaluate_directory(
    model_dir: str | Path,
    test_csv: str | Path | None = None,
    output: str | Path | None = None,
    model_type: str | None = None,
    name: str | None = None,
    subset: int | None = None,
) -> Scores:
    """Load the model of a run or checkpoint and score it; by default on its own test split."""
    folder = Path(model_dir)
    bundle = load_run(folder, model_type)
    return evaluate_on(bundle, name or folder.resolve().name, test_csv, output, subset)


def load_run(folder: Path, model_type: str | None = None) -> "ModelBundle":
    """The model of a run or checkpoint, refused when it is not of the type that is expected."""
    from trainer.models.bundle import load_bundle

    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; --model-dir takes the output folder of a run")
    bundle = load_bundle(folder)
    found = bundle.config.model.type
    if model_type not in (None, found):
        raise InputError(f"{folder}: holds a model of type {found}, --model-type says {model_type}; drop it")
    return bundle


def evaluate_on(
    bundle: "ModelBundle",
    name: str,
    test_csv: str | Path | None = None,
    output: str | Path | None = None,
    subset: int | None = None,
) -> Scores:
    """Score a model on a file, or on the test split of its configuration."""
    from trainer.data.dataset import open_split

    if Path(name).name != name:
        raise InputError(f"--name {name}: expected a plain name without folders; say where with --output")
    config = bundle.config
    dataset = open_split(config, "test", subset) if test_csv is None else _open(config, Path(test_csv), subset)
    return evaluate(bundle, dataset, config, name, output or config.paths.output_dir / "results")


def _open(config: "Config", path: Path, subset: int | None) -> RowDataset:
    """Any file with the columns of a split; its audio lies below the data root of the configuration."""
    from trainer.data.dataset import SpeechDataset, TextDataset
    from trainer.data.prepare import needed_texts

    if config.model.type == "mt5":
        return TextDataset(read_rows(path, needed_texts(config))[:subset], config)
    rows = read_rows(path, ("audio_path", *needed_texts(config)))[:subset]
    return SpeechDataset(rows, config.paths.data_root, config.audio)
