"""What the commands that look at a run have in common: what to look at, and where the report goes."""

from pathlib import Path
from typing import Any

import click

FILE = click.Path(dir_okay=False, path_type=Path)


def subject_options(command: Any) -> Any:
    """--config with --set, or --subject."""
    for option in (
        click.option(
            "--subject",
            metavar="PACKAGE.MODULE:FUNCTION",
            help="A function that returns facts or a Trainer.",
        ),
        click.option(
            "--set",
            "overrides",
            multiple=True,
            metavar="KEY=VALUE",
            help="Overrides one value; may be repeated.",
        ),
        click.option("--config", "-c", metavar="FILE", help="A YAML file, or the bare name of a shipped one."),
    ):
        command = option(command)
    return command


def report_options(command: Any) -> Any:
    """--json, --sarif, --junit."""
    for option in (
        click.option("--junit", "junit_path", type=FILE, help="Write the outcomes as JUnit XML."),
        click.option("--sarif", "sarif_path", type=FILE, help="Write the findings as SARIF 2.1.0."),
        click.option("--json", "json_path", type=FILE, help="Write the report as JSON."),
    ):
        command = option(command)
    return command
