"""`diagnose data`: the data stage of a preflight, over every row instead of a sample."""

from pathlib import Path

import click

from diagnose.commands.options import looked_at, reported
from diagnose.engine.types import Stage
from diagnose.terminal import terminal


@click.command(cls=terminal.Command)
@looked_at
@click.option("--select", "ids", multiple=True, metavar="ID", help="Only this probe, or all that match (DAT00*).")
@reported
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
    from diagnose.gate.run_preflight import conduct
    from diagnose.render.progress import watching
    from diagnose.render.text import show

    facts = facts_from(config, overrides, subject)
    with watching() as watcher:
        done = conduct({**facts, "data_sample_size": "whole"}, Selection((Stage.DATA,), ids), watcher=watcher)
    show(done, terminal.console())
    write(done.report, **paths)
    context.exit(done.report.exit_code)
