"""The train command."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from diagnose import terminal
from diagnose.version import __version__

if TYPE_CHECKING:
    from trainer.config import Resolved

EXAMPLES = """
\b
Examples:
  train demo                                        the whole way, on speech made on the spot
  train --config configs/dev_whisper.yaml --dry-run
  train --config configs/dev_whisper.yaml --set training.batch_size=2 --subset 50 --epochs 1
  train --config configs/dev_whisper.yaml --resume auto
"""


def configured(required: bool = False) -> Callable[[Any], Any]:
    """The two options that name a configuration."""
    config = click.option(
        "--config", "-c", required=required, metavar="FILE", help="A YAML file, or the bare name of a shipped one."
    )
    values = click.option(
        "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Overrides one value; may be repeated."
    )
    return lambda command: config(values(command))


def resolve(config: str, overrides: tuple[str, ...]) -> "Resolved":
    from trainer.config import load
    from trainer.paths import find_config

    resolved = load(find_config(config), overrides)
    for notice in resolved.notices:
        terminal.say(f"note: {notice}")
    return resolved


@click.group(cls=terminal.Commands, invoke_without_command=True, epilog=EXAMPLES)
@configured()
@click.option("--epochs", type=click.FloatRange(min=0, min_open=True), metavar="N", help="Train for so many epochs instead.")
@click.option("--subset", type=click.IntRange(min=1), metavar="N", help="Use the first N rows of each split.")
@click.option("--resume", metavar="DIR|auto", help="Go on from a checkpoint; auto takes the newest one that is whole.")
@click.option(
    "--dry-run", is_flag=True, help="Check everything that can be checked without training, and say the plan."
)
@click.option("--print-config", is_flag=True, help="Show every value and the place it comes from.")
@click.option("--skip-preflight", metavar="REASON", help="Start without the preflight; the reason is written down.")
@click.version_option(__version__, message="gonogo %(version)s")
@click.pass_context
def main(
    context: click.Context,
    config: str | None,
    overrides: tuple[str, ...],
    epochs: float | None,
    subset: int | None,
    resume: str | None,
    dry_run: bool,
    print_config: bool,
    skip_preflight: str | None,
) -> None:
    """Trains speech and text sequence-to-sequence models.

    Without a command it trains what --config describes.
    """
    if context.invoked_subcommand:
        return
    if config is None:
        raise click.UsageError("nothing to train; name a configuration with --config FILE, or try train demo", context)
    resolved = resolve(config, overrides)
    if print_config:
        terminal.answer(resolved.annotated())
    if dry_run:
        from trainer.dry_run import describe, plan

        terminal.answer(describe(plan(resolved.config, epochs, subset), resolved.config))
    if print_config or dry_run:
        return
    run(resolved, epochs, subset, resume, skip_preflight)


def run(
    resolved: "Resolved", epochs: float | None, subset: int | None, resume: str | None, skip_preflight: str | None
) -> None:
    from trainer.loop.run import train

    if skip_preflight is not None and not skip_preflight.strip():
        raise click.UsageError("--skip-preflight needs a reason, so that others can read it later")
    terminal.say(
        f"preflight skipped: {skip_preflight}" if skip_preflight else "preflight: not there yet, starting without it"
    )
    result = train(resolved, resume=resume, epochs=epochs, subset=subset)
    terminal.answer(str(result))
