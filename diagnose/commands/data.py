"""`diagnose data`: the data stage of a preflight, over every row instead of a sample."""

from pathlib import Path

import click

from diagnose.commands.options import Target, report_options, target_options
from diagnose.commands.preflight import run_and_exit
from diagnose.engine.types import Stage


@click.command()
@target_options
@click.option("--select", "ids", multiple=True, metavar="ID", help="Only this check, or all that match (DAT00*).")
@report_options
def data(context: click.Context, target: Target, ids: tuple[str, ...], **paths: Path | None) -> None:
    """Check all of the data: decode every file, read every text.

    Exit codes as for preflight.
    """
    from diagnose.engine.runner import Selection

    run_and_exit(context, target.facts() | {"data_sample_size": "whole"}, Selection((Stage.DATA,), ids), paths)
