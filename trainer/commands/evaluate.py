"""The commands train evaluate and train charts."""

from pathlib import Path
from typing import Any

import click

from trainer.commands.options import FILE, FOLDER, ROWS, Results, config_options, resolve


@click.command(
    epilog="Example: train evaluate --model-dir training/outputs/dev_whisper --test-csv data/splits/test.csv"
)
@config_options()
@click.option("--model-dir", type=FOLDER, help="What a run or a checkpoint left.  [default: output.dir]")
@click.option("--model-type", help="Refuse a model of another type: whisper, e2e, hybrid or mt5.")
@click.option("--test-csv", type=FILE, help="What to evaluate on.  [default: test.csv of the run's splits]")
@click.option("--output", type=FOLDER, help="Where the figures go.  [default: results in paths.output_dir]")
@click.option("--name", help="What the files are called.  [default: the name of the model's folder]")
@click.option("--subset", type=ROWS, metavar="N", help="Only the first N rows.")
def evaluate(config: str | None, overrides: tuple[str, ...], model_dir: Path | None, **options: Any) -> None:
    """Measure the metrics of a model, each against its target.

    WER and CER, BLEU and chrF, or ROUGE, and the latency.
    """
    from trainer.evaluation.evaluate_directory import evaluate_directory
    from trainer.evaluation.score_table import print_scores

    settings = resolve(config, overrides).config if config else None
    folder = model_dir or (settings.output.dir if settings else None)
    if folder is None:
        raise click.UsageError("nothing to evaluate; pass a model with --model-dir FOLDER, or a run with --config")
    print_scores([evaluate_directory(folder, targets=settings.evaluation if settings else None, **options)])


@click.command(epilog="Example: train charts training/outputs/dev_whisper training/outputs/dev_e2e")
@click.argument("runs", nargs=-1, required=True, type=FOLDER)
@click.option("--results", type=FOLDER, help="The folder of the evaluations.  [default: results next to the first run]")
@click.option("--output", type=FOLDER, help="Where the pictures go.  [default: charts next to the first run]")
def charts(runs: tuple[Path, ...], results: Path | None, output: Path | None) -> Results:
    """Draw the loss and the metrics of one or several runs.

    Writes training_loss.png, learning_rate.png, gradient_norm.png, one picture for each metric over steps, and
    wer_comparison.png and bleu_comparison.png.
    """
    from trainer.evaluation.charts import draw
    from trainer.evaluation.run_history import read_result, read_run

    folder = runs[0].parent
    found = sorted((results or folder / "results").glob("*_metrics.json"))
    drawn = draw([read_run(run) for run in runs], [read_result(path) for path in found], output or folder / "charts")
    return [str(path) for path in drawn]
