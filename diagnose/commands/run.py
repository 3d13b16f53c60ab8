"""`diagnose run`: a training script that is not changed."""

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from diagnose.terminal import terminal

if TYPE_CHECKING:
    from diagnose.engine.report import Report

SCRIPT = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--gate", is_flag=True, help="Stop the script unless the verdict is GO.")
@click.argument("script", type=SCRIPT)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def run(context: click.Context, gate: bool, script: Path, arguments: tuple[str, ...]) -> None:
    """Run a training script, and check it where its training begins.

    Looks when a transformers or Lightning Trainer begins to train, or after the first optimizer step of any other
    loop, and prints the report to stderr. The script continues with the same losses, bit for bit; with --gate it is
    stopped unless the verdict is GO.

    Exit code: the script's own; with --gate 1 no-go, 2 inconclusive.
    """
    from diagnose.engine.discovery import integration
    from diagnose.engine.report import PreflightFailed, Stopped
    from diagnose.render.lines import print_lines
    from diagnose.render.text import report_lines

    def judge(report: "Report") -> None:
        print_lines(report_lines(report), terminal.console(stderr=True))
        if gate:
            report.require()

    try:
        looked = integration("script_run").run_script(script, arguments, judge, "stop" if gate else "warn")
    except PreflightFailed as refused:
        context.exit(refused.report.exit_code)
    except (click.ClickException, Stopped, SystemExit):
        raise
    except Exception as error:
        print_error_of_script(error, script)
        context.exit(1)
    if not looked:
        terminal.warn(f"{script}: no training was seen, nothing was checked")
        context.exit(2 if gate else 0)


def print_error_of_script(error: Exception, script: Path) -> None:
    """The traceback as Python prints it, from the script's first line on."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != str(script):
        trace = trace.tb_next
    click.echo("".join(traceback.format_exception(type(error), error, trace or error.__traceback__)).rstrip(), err=True)
