"""How a smoke run ends: its findings as in a preflight, and the exit code of the verdict."""

from typing import NoReturn

import click

from diagnose import terminal
from diagnose.conduct import Preflight
from diagnose.report import Report


def conclude(report: Report, scored: bool, aloud: bool = True) -> NoReturn:
    """A run whose evaluation gave no number is not vouched for, whatever its steps looked like."""
    from diagnose.render.text import show

    if aloud:
        show(Preflight(report), terminal.console())
    if report.exit_code == 0 and not scored:
        click.echo("cannot vouch: the evaluation gave no score", err=True)
        raise click.exceptions.Exit(2)
    raise click.exceptions.Exit(report.exit_code)
