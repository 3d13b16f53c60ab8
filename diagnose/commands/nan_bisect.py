"""`diagnose nan-bisect`: where a non-finite value comes from."""

from pathlib import Path
from typing import Any

import click

from diagnose.commands.nan_replay import print_operations, replay_recording
from diagnose.commands.options import Target, target_options
from diagnose.commands.subject import take_precision
from diagnose.terminal import terminal

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("nan-bisect")
@click.argument("recording", required=False, type=FOLDER)
@target_options
@click.option("--checkpoint", type=FOLDER, help="Take the weights and the optimizer from a checkpoint.")
@click.option(
    "--precision",
    type=click.Choice(["fp32", "fp16", "bf16"]),
    help="Run the step in it.  [default: that of the recording or of the --subject, else fp32]",
)
@click.option("--batch", "number", type=click.IntRange(min=0), metavar="N", help="Only batch N, counted from 0.")
@click.option("--drill-down", "module", metavar="MODULE", help="Print every operation inside one module instead.")
def nan_bisect(
    context: click.Context,
    target: Target,
    recording: Path | None,
    checkpoint: Path | None,
    precision: str | None,
    number: int | None,
    module: str | None,
) -> None:
    """Find the row, module and operation where NaN or Inf appears.

    Runs the batches in order up to the first whose step is not finite. RECORDING is the directory that a guard wrote
    for a failed step: the same step is run again, with the same random states. A GuardCallback's needs --subject.

    Exit code 0 when every batch is finite, 1 when one is not.
    """
    from diagnose import api
    from diagnose.render.nan_origin import origin_lines
    from diagnose.render.progress import preflight_progress

    if recording is not None:
        if target.config or checkpoint or number is not None:
            raise click.UsageError("a recording holds configuration, weights and batch itself: name it alone")
        context.exit(replay_recording(replay_of(recording, target), precision, module))
    if checkpoint is not None and target.config is None:
        raise click.UsageError("--checkpoint goes with --config")
    facts = target.facts(checkpoint)
    own = take_precision(facts)
    precision = precision or own or "fp32"
    if module is not None:
        print_operations(facts, module, precision, number)
        return
    with preflight_progress() as watcher:
        origin = api.nan_bisect(**facts, precision=precision, number=number, watcher=watcher)
    if origin is None:
        where = "all batches" if number is None else f"batch {number}"
        terminal.print_result(f"every value is finite in {precision}: {where}")
        return
    terminal.print_result("\n".join(origin_lines(origin)))
    context.exit(1)


def replay_of(recording: Path, target: Target) -> Any:
    """The recorded step: of our trainer, or, with --subject, of somebody else's."""
    from diagnose.engine.discovery import integration

    recorded = integration("recorded_step")
    foreign = recorded.is_foreign(recording)
    if foreign and not target.subject:
        raise click.UsageError("this recording is of a trainer of your own: add --subject package.module:function")
    if target.subject and not foreign:
        raise click.UsageError("a recording of `train` holds configuration, weights and batch itself: name it alone")
    return recorded.open_foreign_step(recording, target.facts()) if foreign else target.hooks.replay_of(recording)
