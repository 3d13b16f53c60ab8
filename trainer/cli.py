"""The train command. This is the only file of the package that knows the diagnosis."""

import os
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import click

from diagnose.commands.completion import completion
from diagnose.guard import Guard
from diagnose.terminal import terminal
from diagnose.version import __version__
from trainer.commands import COMMANDS, pipeline
from trainer.commands.options import HELP, Results, refuse_together, resolve, run_options
from trainer.paths import shipped_names

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.data.subset import Subset


@click.group(cls=terminal.CommandGroup, configs=shipped_names, invoke_without_command=True, **HELP)
@run_options
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
        raise click.UsageError("nothing to train; pass a configuration with --config FILE, or try train demo", context)
    return start(resolve(config, overrides), **options)


def start(
    resolved: "Resolved",
    epochs: float | None,
    subset: "Subset",
    resume: str | None,
    dry_run: bool,
    print_config: bool,
    skip_preflight: str | None,
    require_signed: bool,
    guard: str,
    debug_steps: int,
    profile: bool = False,
    **smoke_settings: Any,
) -> Results:
    """Print the configuration or the plan, or train."""
    from diagnose import api
    from trainer.loop.checkpoints.resume import require_resumable
    from trainer.predicted_memory import described, with_auto_batch_size

    refuse_together(debug_steps, resume, profile, require_signed, skip_preflight)
    require_resumable(resume, resolved.config)
    resolved = with_auto_batch_size(resolved, api.fits)
    if dry_run or print_config:
        plan = described(resolved, epochs, subset, api) if dry_run else ()
        return chain([resolved.annotated()] * print_config, plan)  # one by one: the last line may be an error
    from trainer.loop.run import is_main_process, with_epochs
    from trainer.loop.runtime.run_lock import require_free

    if is_main_process() and not debug_steps:
        require_free(resolved.config.output.dir)
    accepted = {"resumed": resume is not None, "starts": not debug_steps, "signed": require_signed}
    passed = require_go(with_epochs(resolved, epochs), skip_preflight, **accepted)
    if debug_steps:
        run_smoke(resolved, guard, {"steps": debug_steps, **smoke_settings}, epochs, subset)
    return run_training(resolved, passed, Guard(guard), resume=resume, epochs=epochs, subset=subset, profile=profile)


def run_training(resolved: "Resolved", passed: str, guard: Guard, **options: Any) -> Results:
    """The run itself, under a guard; then its page."""
    from diagnose import api
    from diagnose.page.run_page import write_run_page
    from trainer.loop.run import is_main_process, train
    from trainer.loop.runtime.log_file import log_line
    from trainer.predicted_memory import first_change_named

    if is_main_process():
        log_line(resolved.config.output.dir, f"preflight: {passed}")
    with first_change_named(resolved, api):
        result = train(resolved, guard=guard, **options)
    page = f"page: {write_run_page(guard.verdict(), result.directory)}" if is_main_process() else ""
    return [str(result), page] if page else []


def run_smoke(
    resolved: "Resolved", mode: str, settings: dict[str, Any], epochs: float | None, subset: "Subset"
) -> NoReturn:
    """A smoke run; the command ends with the exit code of its verdict."""
    from diagnose.guard.smoke_verdict import exit_with_verdict
    from trainer.loop.run import is_main_process
    from trainer.loop.smoke_run import SmokeSettings, has_scores, smoke

    guard = Guard(mode, every=0)  # all steps are judged together at the end
    figures = smoke(resolved, SmokeSettings(**settings), guard, epochs, subset)
    exit_with_verdict(guard.verdict(), guard.records(), has_scores(figures), print_report=is_main_process())


def require_go(resolved: "Resolved", skip: str | None = None, signed: bool = False, **accepted: bool) -> str:
    """The verdict on a run in a line; ends the command with its exit code unless it is GO; a smoke run never starts."""
    from diagnose.gate import gate
    from diagnose.gate.seal import require_signing_key
    from trainer.run_inputs import require_inputs

    if signed:
        require_signing_key()
    if skip is None:
        require_inputs(resolved.config, weights=not accepted.get("resumed"))
        if int(os.environ.get("WORLD_SIZE", "1")) > 1:
            return require_receipt(resolved, **accepted)
    passed = gate.require_go({"config": resolved}, skip=skip, **accepted)
    return passed.removeprefix("preflight").lstrip(": ")


def require_receipt(resolved: "Resolved", resumed: bool = False, starts: bool = True) -> str:
    """The line of a valid receipt; with several processes, preflight must have been run before."""
    from diagnose.common.errors import InputError
    from diagnose.engine import engine
    from diagnose.gate import gate

    context = engine.installed().context({"config": resolved}, None)
    found = gate.valid_receipt(context, resumed)
    if isinstance(found, str):
        raise InputError(f"{found}; with several processes, run diagnose preflight --config {resolved.path} first")
    if starts and os.environ.get("RANK", "0") == "0":
        gate.record_start(context, resumed)
    return f"receipt of {found.created} is valid: {found.signature}"


@main.result_callback()
def show(found: Results | None, **_: Any) -> None:
    """Print what a command returns to stdout, tables by rich."""
    for item in found or ():
        if isinstance(item, str):
            terminal.print_result(item)
        else:
            terminal.console().print(item)


for command in (*COMMANDS, completion):
    main.add_command(command)
