"""`diagnose data`: the data stage of a preflight, over every row instead of a sample."""

from pathlib import Path

import click

from diagnose import terminal
from diagnose.commands import FILE
from diagnose.nouns import Stage


@click.command(cls=terminal.Command)
@click.option("--config", "-c", metavar="FILE", help="A YAML file, or the bare name of a shipped one.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Overrides one value; may be repeated.")
@click.option("--subject", metavar="PACKAGE.MODULE:FUNCTION", help="A function that returns facts or a Trainer.")
@click.option("--select", "ids", multiple=True, metavar="ID", help="Only this probe, or all that match (DAT00*).")
@click.option("--json", "json_path", type=FILE, help="Write the report as JSON.")
@click.option("--sarif", "sarif_path", type=FILE, help="Write the findings as SARIF 2.1.0.")
@click.option("--junit", "junit_path", type=FILE, help="Write the outcomes as JUnit XML.")
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
    from diagnose.conduct import conduct
    from diagnose.render.live import watching
    from diagnose.render.text import show
    from diagnose.runner import Selection

    facts = facts_from(config, overrides, subject)
    with watching() as watcher:
        done = conduct({**facts, "data_sample_size": "whole"}, Selection((Stage.DATA,), ids), watcher=watcher)
    show(done, terminal.console())
    write(done.report, **paths)
    context.exit(done.report.exit_code)
