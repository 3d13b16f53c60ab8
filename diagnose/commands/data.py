"""`diagnose data`: the data stage of a preflight, over every row instead of a sample."""

from pathlib import Path

import click

from diagnose.commands.options import report_options, subject_options
from diagnose.engine.types import Stage
from diagnose.terminal import terminal


@click.command(cls=terminal.Command)
@subject_options
@click.option("--select", "ids", multiple=True, metavar="ID", help="Only this probe, or all that match (DAT00*).")
@report_options
@click.pass_context
def data(
    context: click.Context,
    config: str | None,
    overrides: tuple[str, ...],
    subject: str | None,
    ids: tuple[str, ...],
    **paths: Path | None,
) -> None:
    """Looks at all of the data: every file is decoded, every text is read. Exit codes as for preflight."""
    from diagnose.cli import facts_from, write
    from diagnose.engine.runner import Selection
    from diagnose.gate.run_preflight import run_preflight
    from diagnose.render.progress import preflight_progress
    from diagnose.render.text import show

    facts = facts_from(config, overrides, subject)
    with preflight_progress() as watcher:
        done = run_preflight({**facts, "data_sample_size": "whole"}, Selection((Stage.DATA,), ids), watcher=watcher)
    show(done, terminal.console())
    write(done.report, **paths)
    context.exit(done.report.exit_code)
