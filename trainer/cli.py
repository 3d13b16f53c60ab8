"""The train command. This is the only file of the package that knows the diagnosis."""

from typing import TYPE_CHECKING, Any

import click

from diagnose import terminal
from diagnose.version import __version__
from trainer import commands, progress
from trainer.options import EPOCHS, ROWS, configured, resolve

if TYPE_CHECKING:
    from trainer.config import Resolved

terminal.hearers.append(lambda level: progress.quiet.set(level == terminal.Loudness.QUIET))

EXAMPLES = """
\b
Examples:
  train demo                                     the whole way, on speech made on the spot
  train --config dev_whisper --dry-run
  train --config my.yaml --set training.batch_size=2 --subset 50 --epochs 1
  train --config my.yaml --resume auto
"""


@click.group(cls=terminal.Commands, invoke_without_command=True, epilog=EXAMPLES)
@configured()
@click.option("--epochs", type=EPOCHS, metavar="N", help="Train for so many epochs instead.")
@click.option("--subset", type=ROWS, metavar="N", help="Use the first N rows of each split.")
@click.option("--resume", metavar="DIR|auto", help="Go on from a checkpoint; auto takes the newest one that is whole.")
@click.option("--dry-run", is_flag=True, help="Check what can be checked without training, and say the plan.")
@click.option("--print-config", is_flag=True, help="Show every value and the place it comes from.")
@click.option("--skip-preflight", metavar="REASON", help="Start without the preflight; the reason is written down.")
@click.version_option(__version__, message="gonogo %(version)s")
@click.pass_context
def main(context: click.Context, config: str | None, overrides: tuple[str, ...], **given: Any) -> commands.Shown:
    """Train speech and text sequence-to-sequence models.

    Without a command it trains what --config describes.
    """
    if context.invoked_subcommand:
        if config or overrides:
            raise click.UsageError(f"options of {context.invoked_subcommand} come after its name", context)
        return []
    if config is None:
        raise click.UsageError("nothing to train; name a configuration with --config FILE, or try train demo", context)
    return start(resolve(config, overrides), **given)


def start(
    resolved: "Resolved",
    epochs: float | None,
    subset: int | None,
    resume: str | None,
    dry_run: bool,
    print_config: bool,
    skip_preflight: str | None,
) -> commands.Shown:
    """Show what was asked for, or train."""
    if dry_run or print_config:
        from trainer.dry_run import describe, plan

        shown = [resolved.annotated()] if print_config else []
        return [*shown, describe(plan(resolved.config, epochs, subset), resolved.config)] if dry_run else shown
    terminal.say(ask(resolved, skip_preflight))
    from trainer.loop.run import train

    return [str(train(resolved, resume=resume, epochs=epochs, subset=subset))]


def ask(resolved: "Resolved", skip: str | None) -> str:
    """May the run start? A line for the log."""
    if skip is None:
        return "preflight: not there yet, starting without it"
    from diagnose.gate import ask_aloud

    return ask_aloud({"config": resolved}, skip=skip).reason


@main.result_callback()
def show(found: commands.Shown | None, **_: Any) -> None:
    """What a command gives back is what was asked for: stdout, tables in rich, the rest as it is."""
    for item in found or ():
        if isinstance(item, str):
            terminal.answer(item)
        else:
            terminal.console().print(item)


for command in (
    commands.prepare,
    commands.split,
    commands.evaluate,
    commands.charts,
    commands.pipeline,
    commands.demo,
):
    main.add_command(command)
