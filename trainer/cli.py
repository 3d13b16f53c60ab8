"""The train command. This is the only file of the package that knows the diagnosis."""

import logging
import os
from typing import TYPE_CHECKING, Any, NoReturn

import click

from diagnose.guard import Guard
from diagnose.terminal import terminal
from diagnose.version import __version__
from trainer.commands import data, evaluate, pipeline
from trainer.commands.options import EPOCHS, ROWS, Results, config_options, diagnosis_options, resolve, smoke_options

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.loop.smoke_run import SmokeSettings

log = logging.getLogger(__name__)

EXAMPLES = """
\b
Examples:
  train demo                                     the whole way, on speech made on the spot
  train --config dev_whisper --dry-run
  train --config my.yaml --set training.batch_size=2 --subset 50 --epochs 1
  train --config my.yaml --debug-steps 20        a smoke run: the first steps, told in detail, and an evaluation
  train --config my.yaml --resume auto
"""


@click.group(cls=terminal.CommandGroup, invoke_without_command=True, epilog=EXAMPLES)
@config_options()
@click.option("--epochs", type=EPOCHS, metavar="N", help="Train for so many epochs instead.")
@click.option("--subset", type=ROWS, metavar="N", help="Use the first N rows of each split.")
@click.option("--resume", metavar="DIR|auto", help="Go on from a checkpoint; auto takes the newest one that is whole.")
@click.option("--dry-run", is_flag=True, help="Check what can be checked without training, and say the plan.")
@click.option("--print-config", is_flag=True, help="Show every value and the place it comes from.")
@diagnosis_options
@smoke_options
@click.version_option(__version__, message="gonogo %(version)s")
@click.pass_context
def main(context: click.Context, config: str | None, overrides: tuple[str, ...], **options: Any) -> Results:
    """Train speech and text sequence-to-sequence models.

    Without a command it trains what --config describes.
    """
    context.obj = pipeline.DiagnosisHooks(require_go, Guard)
    if context.invoked_subcommand:
        if config or overrides:
            raise click.UsageError(f"options of {context.invoked_subcommand} come after its name", context)
        return []
    if config is None:
        raise click.UsageError("nothing to train; name a configuration with --config FILE, or try train demo", context)
    return start(resolve(config, overrides), **options)


def start(
    resolved: "Resolved",
    epochs: float | None,
    subset: int | None,
    resume: str | None,
    dry_run: bool,
    print_config: bool,
    skip_preflight: str | None,
    guard: str,
    debug_steps: int,
    **smoke_settings: Any,
) -> Results:
    """Print the configuration or the plan, or train."""
    if dry_run or print_config:
        from trainer.dry_run import describe, plan

        shown = [resolved.annotated()] if print_config else []
        return [*shown, describe(plan(resolved.config, epochs, subset), resolved.config)] if dry_run else shown
    from trainer.loop.run import is_main_process, train, with_epochs
    from trainer.loop.runtime.log_file import log_to_file
    from trainer.loop.runtime.run_lock import require_free

    if is_main_process() and not debug_steps:
        require_free(resolved.config.output.dir)
    if debug_steps and resume:
        raise click.UsageError("a smoke run starts at the beginning: leave --resume or --debug-steps out")
    passed = require_go(with_epochs(resolved, epochs), skip_preflight, resume is not None)
    if debug_steps:
        from trainer.loop.smoke_run import SmokeSettings

        run_smoke(resolved, guard, SmokeSettings(debug_steps, **smoke_settings), epochs, subset)
    if is_main_process():
        with log_to_file(resolved.config.output.dir):
            log.info("preflight: %s", passed)
    result = train(resolved, resume=resume, epochs=epochs, subset=subset, guard=Guard(guard))
    return [str(result)] if is_main_process() else []


def run_smoke(
    resolved: "Resolved", mode: str, settings: "SmokeSettings", epochs: float | None, subset: int | None
) -> NoReturn:
    """A smoke run; the command ends with the exit code of its verdict."""
    from diagnose.guard.smoke_verdict import exit_with_verdict
    from trainer.loop.run import is_main_process
    from trainer.loop.smoke_run import has_scores, smoke

    guard = Guard(mode, every=0)  # all steps are judged together at the end
    figures = smoke(resolved, settings, guard, epochs, subset)
    exit_with_verdict(guard.verdict(), guard.records(), has_scores(figures), print_report=is_main_process())


def require_go(resolved: "Resolved", skip: str | None = None, resumed: bool = False) -> str:
    """The verdict on a run in a line; ends the command with its exit code unless it is GO."""
    from diagnose.gate import gate
    from trainer.run_inputs import require_inputs

    if skip is None:
        require_inputs(resolved.config, weights=not resumed)
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            return require_receipt(resolved, resumed)
    return gate.require_go({"config": resolved}, skip=skip, resumed=resumed).removeprefix("preflight").lstrip(": ")


def require_receipt(resolved: "Resolved", resumed: bool) -> str:
    """The line of a valid receipt; with several processes, preflight must have been run before."""
    from diagnose.common.errors import InputError
    from diagnose.engine import engine
    from diagnose.gate import gate

    found = gate.valid_receipt(engine.installed().context({"config": resolved}, None), resumed)
    if isinstance(found, str):
        raise InputError(f"{found}; with several processes, run diagnose preflight --config {resolved.path} first")
    return f"receipt of {found.created} holds: {found.signature}"


@main.result_callback()
def show(found: Results | None, **_: Any) -> None:
    """Print what a command returns to stdout, tables by rich."""
    for item in found or ():
        if isinstance(item, str):
            terminal.print_result(item)
        else:
            terminal.console().print(item)


for command in (data.prepare, data.split, evaluate.evaluate, evaluate.charts, pipeline.pipeline, pipeline.demo):
    main.add_command(command)
