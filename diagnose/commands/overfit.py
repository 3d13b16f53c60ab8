"""`diagnose overfit`: the learning stage alone, with the curve of the loss and what it is compared with."""

from dataclasses import replace
from pathlib import Path

import click

from diagnose.commands.options import Target, report_options, target_options, write_report
from diagnose.engine.types import Stage
from diagnose.terminal import terminal

NO_VERDICT = 2  # as for an inconclusive preflight


@click.command()
@target_options
@click.option("--pairs", is_flag=True, help="Train on some batches, then compare right with swapped pairs on others.")
@click.option("--rates", is_flag=True, help="Sweep through learning rates, however long it takes.")
@report_options
def overfit(context: click.Context, target: Target, pairs: bool, rates: bool, **paths: Path | None) -> None:
    """Overfit a few rows and show what they are learned from.

    From their input, from the statistics of the labels, or not at all. Dropout and augmentation are off, and the model
    is restored afterwards. Exit codes as for preflight; 2 also if nothing can be concluded from these rows.
    """
    from diagnose.engine.engine import installed, values_of_facts
    from diagnose.engine.runner import Selection
    from diagnose.gate.run_preflight import run_and_write
    from diagnose.render.overfit import curve_and_verdict, extra_lines
    from diagnose.render.progress import preflight_progress
    from diagnose.render.text import show

    engine = installed()
    with preflight_progress() as watcher:
        facts = engine.context(target.facts() | ({"pairs_requested": True} if pairs else {}), watcher)
        done = run_and_write(engine, facts, Selection((Stage.LEARNING,), run_all=True), watcher=watcher)
    show(done, terminal.console())
    curve, has_verdict = curve_and_verdict(facts)
    terminal.print_result("\n".join(curve))
    terminal.print_result("\n".join(extra_lines(facts, pairs, rates)))
    write_report(replace(done.report, figures=values_of_facts(facts, "figure")), **paths)
    context.exit(done.report.exit_code or (0 if has_verdict else NO_VERDICT))
