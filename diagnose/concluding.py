"""How a smoke run ends: its findings as in a preflight, and the exit code of the verdict."""

from typing import NoReturn

import click

from diagnose import terminal
from diagnose.conduct import Preflight
from diagnose.records import Records
from diagnose.report import Report


def unproven(records: Records, scored: bool) -> str:
    """What a smoke run has to show and did not: an evaluation with a score, a learning rate that moves."""
    if not scored:
        return "the evaluation gave no score"
    rates = records.series("lr").values
    if records.may_rest or len(set(rates)) > 1:
        return ""
    steps = f"{len(rates)} step{'s' * (len(rates) != 1)}"
    return f"the learning rate was not seen to move in {steps}; give a larger --debug-steps or --subset"


def conclude(report: Report, unproven: str, aloud: bool = True) -> NoReturn:
    """A run of which something was not seen is not vouched for, whatever its steps looked like."""
    from diagnose.render.text import show

    if aloud:
        show(Preflight(report), terminal.console())
    if report.exit_code == 0 and unproven:
        click.echo(f"cannot vouch: {unproven}", err=True)
        raise click.exceptions.Exit(2)
    raise click.exceptions.Exit(report.exit_code)
