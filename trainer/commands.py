"""The commands beneath train. Each gives back what is to be shown; the cli shows it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainer.options import EPOCHS, FILE, FOLDER, ROWS, configured, resolve, skippable
from trainer.paths import clean_manifest

if TYPE_CHECKING:
    from trainer.config import Resolved

Shown = Sequence[Any]
Enter = Callable[["Resolved", str | None], str]  # asks for the verdict on a run; given by the cli


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


@click.command(epilog="Example: train pipeline --config dev_whisper --config dev_e2e")
@configured(multiple=True)
@click.option("--epochs", type=EPOCHS, metavar="N", help="Train for so many epochs instead.")
@click.option("--subset", type=ROWS, metavar="N", help="Use the first N rows of each split.")
@skippable
@click.pass_obj
def pipeline(
    enter: Enter, config: tuple[str, ...], overrides: tuple[str, ...], skip_preflight: str | None, **given: Any
) -> Shown:
    """Go the whole way: prepare, split, train, evaluate, charts, for one or several configurations.

    What is already made and still valid is reused; a run that was interrupted goes on.
    """
    from trainer.evaluation.table import print_scores
    from trainer.pipeline import pipeline as go

    if not config:
        raise click.UsageError("nothing to run; name at least one configuration with --config FILE")
    outcome = go([resolve(one, overrides) for one in config], lambda one: enter(one, skip_preflight), **given)
    print_scores(outcome.scores)
    return [str(path) for path in (*outcome.runs, *outcome.charts)]


@click.command(epilog="Example: train demo --model whisper --seed 1")
@click.option("--model", type=click.Choice(["hybrid", "whisper", "e2e", "mt5"]), default="hybrid", help="Which model.")
@click.option("--seed", default=0, help="Of the corpus and of the model.")
@click.option("--directory", "--dir", type=FOLDER, default=Path("gonogo-demo"), help="Where everything goes.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override one value; may be repeated.")
@skippable
@click.pass_obj
def demo(
    enter: Enter, model: str, seed: int, directory: Path, overrides: tuple[str, ...], skip_preflight: str | None
) -> None:
    """Show the whole way on real speech made on the spot: corpus, preflight, training, evaluation, charts.

    Takes a few minutes on two CPU cores and downloads nothing. A second time, only what is missing is made.
    """
    from trainer.demo.run import demo as go

    go(model, seed, directory, lambda one: enter(one, skip_preflight), overrides=overrides)
