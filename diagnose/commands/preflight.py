"""`diagnose preflight`: all stages of a run before it starts."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diagnose.commands.options import Target, report_options, target_options, write_report
from diagnose.engine.types import Stage
from diagnose.terminal import terminal

if TYPE_CHECKING:
    from diagnose.engine.runner import Selection

STAGE = click.Choice([str(stage) for stage in Stage])


def parse_reasons(context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """ID=REASON; the engine refuses one without a reason."""
    return {id: reason for id, _, reason in (text.partition("=") for text in texts)}


@click.command()
@target_options
@click.option("--stage", "stages", multiple=True, type=STAGE, metavar="STAGE", help="Only this stage, such as labels.")
@click.option("--select", "ids", multiple=True, metavar="ID", help="Only this check, or all that match (LAB*).")
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="ID=REASON",
    callback=parse_reasons,
    help="Do not run this check; the reason is recorded.",
)
@click.option("--all", "run_all", is_flag=True, help="Run the expensive stages even after an error.")
@click.option("--strict", is_flag=True, help="Digest audio and weights by content, not by size and time.")
@click.option(
    "--processes", type=click.IntRange(min=1), metavar="N", help="Also start N processes of the run, as torchrun does."
)
@report_options
def preflight(
    context: click.Context,
    target: Target,
    stages: tuple[str, ...],
    ids: tuple[str, ...],
    ignored: dict[str, str],
    run_all: bool,
    strict: bool,
    processes: int | None,
    **paths: Path | None,
) -> None:
    """Check a run before it starts.

    Exit code 0 go, 1 no-go, 2 inconclusive.
    """
    from diagnose.engine.runner import Selection

    selection = Selection(tuple(map(Stage, stages)), ids, ignored, run_all)
    facts = target.facts() | {"processes": processes}
    run_and_exit(context, facts, selection, paths, strict, target.next_command if selection.full else "")


def run_and_exit(
    context: click.Context,
    facts: Mapping[str, Any],
    selection: "Selection",
    paths: Mapping[str, Path | None],
    strict: bool = False,
    on_go: str = "",
) -> None:
    """Runs a preflight, shows and writes its report, and ends with its exit code."""
    from diagnose.gate.run_preflight import run_preflight
    from diagnose.render.progress import preflight_progress
    from diagnose.render.text import show

    with preflight_progress() as watcher:
        done = run_preflight(facts, selection, strict, watcher)
    show(done, terminal.console(), on_go)
    write_report(done.report, **paths)
    context.exit(done.report.exit_code)
