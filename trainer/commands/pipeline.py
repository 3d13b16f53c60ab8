"""The commands train pipeline and train demo."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from trainer.commands.options import FOLDER, Results, config_options, diagnosis_options, limit_options, resolve


@dataclass(frozen=True)
class DiagnosisHooks:
    """The diagnosis for the commands: `require_go` asks for the verdict, `make_guard` makes a guard."""

    require_go: Callable[..., str]
    make_guard: Callable[[str], Any]


@click.command(epilog="Example: train pipeline --config dev_whisper --config dev_e2e")
@config_options(multiple=True)
@limit_options
@diagnosis_options
@click.pass_obj
def pipeline(
    diagnosis: DiagnosisHooks,
    config: tuple[str, ...],
    overrides: tuple[str, ...],
    skip_preflight: str | None,
    require_signed: bool,
    guard: str,
    **options: Any,
) -> Results:
    """Prepare, split, train, evaluate and draw charts.

    For one or several configurations. What exists and is still valid is reused; a run that was interrupted is resumed.
    """
    from trainer.evaluation.score_table import print_scores
    from trainer.pipeline.pipeline import pipeline as go

    if not config:
        raise click.UsageError("nothing to run; pass at least one configuration with --config FILE")
    outcome = go(
        [resolve(one, overrides) for one in config],
        lambda one: diagnosis.require_go(one, skip_preflight, signed=require_signed),
        make_guard=lambda: diagnosis.make_guard(guard),
        **options,
    )
    print_scores(outcome.scores)
    return [str(path) for path in (*outcome.runs, *outcome.charts)]


@click.command(epilog="Example: train demo --model whisper --seed 1")
@click.option("--model", type=click.Choice(["hybrid", "whisper", "e2e", "mt5"]), default="hybrid", help="Which model.")
@click.option("--seed", default=0, help="Of the corpus and of the model.")
@click.option("--directory", "--dir", type=FOLDER, default=Path("gonogo-demo"), help="Where everything goes.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override one value; may be repeated.")
@diagnosis_options
@click.pass_obj
def demo(
    diagnosis: DiagnosisHooks,
    model: str,
    seed: int,
    directory: Path,
    overrides: tuple[str, ...],
    skip_preflight: str | None,
    require_signed: bool,
    guard: str,
) -> None:
    """Run everything once, on speech that is synthesized first.

    Corpus, preflight, training, evaluation, charts. Takes a few minutes on two CPU cores and downloads nothing. A
    second time, only what is missing is made.
    """
    from trainer.demo.run import demo as go

    go(
        model,
        seed,
        directory,
        lambda one: diagnosis.require_go(one, skip_preflight, signed=require_signed),
        overrides=overrides,
        make_guard=lambda: diagnosis.make_guard(guard),
    )
