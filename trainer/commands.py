"""The commands beneath train. Each gives back what is to be shown; the cli shows it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from trainer.options import FILE, FOLDER, ROWS, configured, resolve
from trainer.paths import clean_manifest

Shown = Sequence[Any]


@click.command(epilog="Example: train prepare --input data/export/manifest.tsv --output data/export/manifest_clean.tsv")
@configured()
@click.option("--input", "source", type=FILE, help="The manifest to clean.  [default: paths.manifest_path]")
@click.option("--output", type=FILE, help="Where the clean one goes.  [default: beside it, with _clean in its name]")
@click.option("--data-root", type=FOLDER, help="What audio paths are relative to.  [default: paths.data_root, or .]")
def prepare(
    config: str | None, overrides: tuple[str, ...], source: Path | None, output: Path | None, data_root: Path | None
) -> Shown:
    """Clean a manifest: markup, spaces, empty texts, clips that are broken, too short or too long.

    Says how many rows each rule changed or removed, and keeps the removed ones in a file beside the output.
    """
    from trainer.config import Config
    from trainer.data.prepare import needed_texts
    from trainer.data.prepare import prepare as clean

    if source is None and config is None:
        raise click.UsageError(
            "nothing to prepare; name a manifest with --input FILE, or a configuration with --config"
        )
    settings = resolve(config, overrides).config if config else Config()
    source, needed = source or settings.manifest, needed_texts(settings) if config else ()
    output = output or clean_manifest(source)
    report = clean(source, output, data_root or settings.paths.data_root, settings.audio, needed)
    return [report.table(), f"{report.output}", f"{report.removed_path} (removed rows)"]


@click.command(epilog="Example: train split --input data/export/manifest_clean.tsv --output data/splits")
@configured()
@click.option("--input", "source", type=FILE, help="The manifest.  [default: the clean one of paths.manifest_path]")
@click.option(
    "--output", type=FOLDER, help="The folder for train.csv, dev.csv and test.csv.  [default: paths.splits_dir]"
)
@click.option("--group", help="The column that may not be on two sides.  [default: data.group_column, or video_id]")
@click.option("--seed", default=42, help="Another seed, another split; the seed of the training changes nothing here.")
def split(
    config: str | None,
    overrides: tuple[str, ...],
    source: Path | None,
    output: Path | None,
    group: str | None,
    seed: int,
) -> Shown:
    """Split a manifest 80/10/10 so that no video is on two sides."""
    from trainer.config import Config
    from trainer.data.split import split as divide

    settings = resolve(config, overrides).config if config else Config()
    if not config and (source is None or output is None):
        raise click.UsageError("name --input FILE and --output FOLDER, or a configuration with --config")
    clean = clean_manifest(settings.manifest)
    source = source or (clean if clean.exists() else settings.manifest)
    return [divide(source, output or settings.splits, group or settings.data.group_column, seed).table()]


@click.command(
    epilog="Example: train evaluate --model-dir training/outputs/dev_whisper --test-csv data/splits/test.csv"
)
@configured()
@click.option("--model-dir", type=FOLDER, help="What a run or a checkpoint left.  [default: output.dir]")
@click.option("--model-type", help="Refuse a model of another type: whisper, e2e, hybrid or mt5.")
@click.option("--test-csv", type=FILE, help="What to evaluate on.  [default: test.csv of the run's splits]")
@click.option("--output", type=FOLDER, help="Where the figures go.  [default: results in paths.output_dir]")
@click.option("--name", help="What the files are called.  [default: the name of the model's folder]")
@click.option("--subset", type=ROWS, metavar="N", help="Only the first N rows.")
def evaluate(config: str | None, overrides: tuple[str, ...], model_dir: Path | None, **given: Any) -> None:
    """Measure WER and CER, BLEU and chrF, or ROUGE, each against its target, and the latency."""
    from trainer.evaluation.directory import evaluate_directory
    from trainer.evaluation.table import print_scores

    folder = model_dir or (resolve(config, overrides).config.output.dir if config else None)
    if folder is None:
        raise click.UsageError("nothing to evaluate; name a model with --model-dir FOLDER, or a run with --config")
    print_scores([evaluate_directory(folder, **given)])


@click.command(epilog="Example: train charts training/outputs/dev_whisper training/outputs/dev_e2e")
@click.argument("runs", nargs=-1, required=True, type=FOLDER)
@click.option("--results", type=FOLDER, help="The folder of the evaluations.  [default: results beside the first run]")
@click.option("--output", type=FOLDER, help="Where the pictures go.  [default: charts beside the first run]")
def charts(runs: tuple[Path, ...], results: Path | None, output: Path | None) -> Shown:
    """Draw training_loss.png, wer_comparison.png and bleu_comparison.png of one or several runs."""
    from trainer.evaluation.charts import draw
    from trainer.evaluation.history import read_result, read_run

    beside = runs[0].parent
    found = sorted((results or beside / "results").glob("*_metrics.json"))
    drawn = draw([read_run(run) for run in runs], [read_result(path) for path in found], output or beside / "charts")
    return [str(path) for path in drawn]
