"""Evaluate what a run left behind: a model directory against any test file."""

from pathlib import Path

from trainer.errors import InputError
from trainer.evaluation.evaluate import Scores, evaluate


def evaluate_directory(
    model_dir: str | Path,
    test_csv: str | Path | None = None,
    output: str | Path | None = None,
    model_type: str | None = None,
    name: str | None = None,
    subset: int | None = None,
) -> Scores:
    """Load the model of a run or checkpoint and score it; by default on its own test split, beside its outputs."""
    from trainer.data.dataset import open_file, open_split
    from trainer.models.parts import load_parts

    folder = Path(model_dir)
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; --model-dir takes the output folder of a run")
    parts = load_parts(folder)
    config = parts.config
    if model_type not in (None, config.model.type):
        raise InputError(
            f"{folder}: holds a model of type {config.model.type}, --model-type says {model_type}; drop it"
        )
    dataset = open_split(config, "test", subset) if test_csv is None else open_file(config, test_csv, subset)
    return evaluate(
        parts, dataset, config, name or folder.resolve().name, output or config.paths.output_dir / "results"
    )
