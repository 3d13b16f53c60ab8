"""How a smoke run ends: its findings as in a preflight, and the exit code of the verdict."""

from dataclasses import replace
from math import inf
from typing import NoReturn

import click

from diagnose.engine.report import Report
from diagnose.engine.types import Finding, Outcome, Severity, Stage, Status, Verdict
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

    if missing := missing_evidence(records, scored):
        report = _with(report, Status.BLOCKED, missing)
    texts = [one.text for row in records.rows for one in row.texts]
    if texts and not any(map(str.strip, texts)) and report.verdict is not Verdict.NO_GO:
        report = _with(report, Status.FOUND, "", _empty_texts(len(texts)))
    if print_report:
        show(Preflight(report), terminal.console())
    bad = next((row for row in records.rows if row.loss is not None and not 0 < row.loss < inf), None)
    if bad is not None and report.verdict is not Verdict.NO_GO:  # a guard in mode warn let it pass
        click.echo(f"no-go: the loss of step {bad.step} is {bad.loss}, expected a finite number above 0", err=True)
        raise click.exceptions.Exit(1)
    raise click.exceptions.Exit(report.exit_code)


def _with(report: Report, status: Status, reason: str, *findings: Finding) -> Report:
    """The report with what no probe says."""
    name, title = ("smoke run", "smoke_run"), "The smoke run shows a learning rate that moves, a metric, and texts"
    outcome = Outcome(*name, title, Stage.STEPS, Severity.WARNING, status, findings, reason)
    return replace(report, outcomes=(*report.outcomes, outcome))


def _empty_texts(count: int) -> Finding:
    """A model from random weights may well need more steps; a pretrained one does not."""
    what = f"all {count} generated texts are empty, expected words"
    fix = "use a larger --debug-steps; if the texts stay empty, run diagnose overfit"
    where = "the evaluation"
    return Finding(where, what, fix, {"texts": count}, Severity.WARNING, probe="smoke run", stage=Stage.STEPS)
