"""The diagnose command. This is the only file of the package that knows the trainer: --config is read by it."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diagnose.commands.curves import curves
from diagnose.commands.data import data
from diagnose.commands.drill import drill
from diagnose.commands.info import diff, env, explain, list_probes
from diagnose.commands.nan_bisect import nan_bisect
from diagnose.commands.options import report_options, subject_options
from diagnose.commands.overfit import overfit
from diagnose.commands.precision import precision
from diagnose.commands.release import release
from diagnose.engine.types import Stage
from diagnose.terminal import terminal
from diagnose.version import __version__

if TYPE_CHECKING:
    from diagnose.engine.report import Report

STAGE = click.Choice([str(stage) for stage in Stage])


@click.group(cls=terminal.CommandGroup)
@click.version_option(__version__, message="gonogo %(version)s")
def main() -> None:
    """Decides whether a training run may start, and says why not."""


for command in (list_probes, explain, env, diff, data, nan_bisect, precision, overfit, curves, release, drill):
    main.add_command(command)


def facts_from(
    config: str | None, overrides: Sequence[str], subject: str | None, checkpoint: Path | None = None
) -> dict[str, Any]:
    """The facts that --config (at a checkpoint, where one is named) or --subject stand for."""
    if (config is None) == (subject is None):
        raise click.UsageError("name what to look at: --config FILE or --subject package.module:function, one of them")
    if subject is not None:
        from diagnose.commands.subject import RankFacts, facts_of

        return {"rank_facts": RankFacts(subject)} | facts_of(subject)
    from trainer.config import load
    from trainer.paths import find_config

    resolved = load(find_config(str(config)), overrides)
    if checkpoint is not None:
        from trainer.loop.checkpoints.load_for_diagnosis import facts_at_checkpoint

        return facts_at_checkpoint(resolved, checkpoint)
    return {"config": resolved}


def replay_of(recording: Path) -> Any:
    """A recorded step of our trainer."""
    from trainer.loop.guard.replay import open_recording

    return open_recording(recording)


def reasons(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """ID=REASON; the engine refuses one without a reason."""
    return {id: reason for id, _, reason in (text.partition("=") for text in given)}


@main.command()
@subject_options
@click.option("--stage", "stages", multiple=True, type=STAGE, metavar="STAGE", help="Only this stage, such as labels.")
@click.option("--select", "ids", multiple=True, metavar="ID", help="Only this probe, or all that match (LAB*).")
@click.option(
    "--ignore", "ignored", multiple=True, metavar="ID=REASON", callback=reasons, help="Do not look; recorded."
)
@click.option("--all", "everything", is_flag=True, help="Run the dear stages even after an error.")
@click.option("--strict", is_flag=True, help="Digest audio and weights by content, not by size and time.")
@click.option(
    "--processes", type=click.IntRange(min=1), metavar="N", help="The run has N: start them, as torchrun does."
)
@report_options
@click.pass_context
def preflight(
    context: click.Context,
    config: str | None,
    overrides: tuple[str, ...],
    subject: str | None,
    stages: tuple[str, ...],
    ids: tuple[str, ...],
    ignored: dict[str, str],
    everything: bool,
    strict: bool,
    processes: int | None,
    **paths: Path | None,
) -> None:
    """Looks at a run before it starts. Exit code 0 go, 1 no-go, 2 cannot vouch."""
    from diagnose.engine.runner import Selection
    from diagnose.gate.run_preflight import run_preflight
    from diagnose.render.progress import preflight_progress
    from diagnose.render.text import show

    selection = Selection(tuple(Stage(stage) for stage in stages), ids, ignored, everything)
    facts = facts_from(config, overrides, subject) | {"processes": processes}
    with preflight_progress() as watcher:
        done = run_preflight(facts, selection, strict, watcher)
    show(done, terminal.console())
    write(done.report, **paths)
    context.exit(done.report.exit_code)


def write(report: "Report", json_path: Path | None, sarif_path: Path | None, junit_path: Path | None) -> None:
    from diagnose.common.atomic_write import write_atomically
    from diagnose.render.json import to_json
    from diagnose.render.junit import to_junit
    from diagnose.render.sarif import to_sarif

    for path, render in ((json_path, to_json), (sarif_path, to_sarif), (junit_path, to_junit)):
        if path:
            write_atomically(path, render(report))
