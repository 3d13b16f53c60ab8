"""How a smoke run ends: its findings as in a preflight, and the exit code of the verdict."""

from math import inf
from typing import NoReturn

import click

from diagnose.engine.report import Report
from diagnose.gate.run_preflight import Preflight
from diagnose.records import Records
from diagnose.terminal import terminal


def missing_evidence(records: Records, scored: bool) -> str:
    """What a smoke run has to show and did not: an evaluation with a score, a learning rate that moves."""
    if not scored:
        return "the evaluation returned no metric"
    rates = records.series("lr").values
    if records.may_be_constant or len(set(rates)) > 1:
        return ""
    steps = f"{len(rates)} step{'s' * (len(rates) != 1)}"
    return f"the learning rate did not change in {steps}; use a larger --debug-steps or --subset"


def exit_with_verdict(report: Report, records: Records, scored: bool, print_report: bool = True) -> NoReturn:
    """A run passes when its losses are finite and above zero, and all that it has to show was seen."""
    from diagnose.render.text import show

    if print_report:
        show(Preflight(report), terminal.console())
    if report.exit_code:
        raise click.exceptions.Exit(report.exit_code)
    bad = next((row for row in records.rows if row.loss is not None and not 0 < row.loss < inf), None)
    if bad is not None:  # a guard that only warns let it go by: a run may go on so, a smoke run has not passed
        click.echo(f"no-go: the loss of step {bad.step} is {bad.loss}, expected a finite number above 0", err=True)
        raise click.exceptions.Exit(1)
    if missing := missing_evidence(records, scored):
        click.echo(f"inconclusive: {missing}", err=True)
        raise click.exceptions.Exit(2)
    raise click.exceptions.Exit(0)
