"""`diagnose nan-bisect`: where a value that is not finite was born."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from diagnose.commands.nan_replay import replay_recording
from diagnose.commands.options import subject_options
from diagnose.common.errors import InputError
from diagnose.terminal import terminal

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command("nan-bisect", cls=terminal.Command)
@click.argument("recording", required=False, type=FOLDER)
@subject_options
@click.option("--checkpoint", type=FOLDER, help="Take weights and optimiser of --config from a checkpoint.")
@click.option(
    "--precision",
    type=click.Choice(["fp32", "fp16", "bf16"]),
    help="Run the step in it.  [default: fp32, or that of the recording]",
)
@click.option("--batch", "number", type=click.IntRange(min=0), metavar="N", help="Only batch N, counted from 0.")
@click.option("--drill-down", "module", metavar="MODULE", help="Print every operation inside one module instead.")
@click.pass_context
def nan_bisect(
    context: click.Context,
    recording: Path | None,
    config: str | None,
    overrides: tuple[str, ...],
    subject: str | None,
    checkpoint: Path | None,
    precision: str | None,
    number: int | None,
    module: str | None,
) -> None:
    """Goes through the batches to the first whose step is not finite, and names row, module, operation and line.

    RECORDING is what a guard left of a failed step: the same step is made once more, with the same random states.
    A step that is finite costs one plain step. Exit code 0 when every batch is finite, 1 when one is not.
    """
    from diagnose import api
    from diagnose.cli import facts_from
    from diagnose.render.progress import preflight_progress

    if recording is not None:
        if config or subject or checkpoint or number is not None:
            raise click.UsageError("a recording holds configuration, weights and batch itself: name it alone")
        context.exit(replay_recording(recording, precision, module))
    if checkpoint is not None and config is None:
        raise click.UsageError("--checkpoint goes with --config")
    facts, precision = facts_from(config, overrides, subject, checkpoint), precision or "fp32"
    if module is not None:
        terminal.print_result("\n".join(operation_lines(facts, module, precision, number)))
        return
    with preflight_progress() as watcher:
        origin = api.nan_bisect(**facts, precision=precision, number=number, watcher=watcher)
    if origin is None:
        terminal.print_result(
            f"every value is finite in {precision}: {'batch ' + str(number) if number is not None else 'all batches'}"
        )
        return
    terminal.print_result("\n".join(origin_lines(origin)))
    context.exit(1)


def origin_lines(origin: Any) -> Iterator[str]:
    """The verdict, then the way there as a tree."""
    finding = origin.finding
    yield "ORIGIN"
    if finding is not None:
        yield f"{finding.probe} {finding.severity}  {finding.where}"
        yield from (
            f"  {text}" for text in (finding.message, f"fix: {finding.fix}", f"more: diagnose explain {finding.probe}")
        )
    yield f"phase      {origin.phase} ({origin.precision})"
    yield f"operation  {origin.operation or 'none: it was there before the step'}"
    if origin.batch is not None:
        yield f"batch      {origin.batch}"
    if origin.line:
        yield f"line       {origin.line}"
    if origin.visits:
        yield "the last modules before it"
    for visit in origin.visits:
        yield f"  {visit.module} ({visit.kind}, call {visit.call})"
        yield from (f"    {value}" for value in visit.values)


def operation_lines(facts: dict[str, Any], module: str, precision: str, number: int | None = None) -> Iterator[str]:
    from diagnose.engine.context import FactError
    from diagnose.engine.engine import installed

    how = {"module": module, "precision": precision, "number": number}
    try:
        found = installed().context({**facts, "nan_search_options": how}).get("operations_inside")
    except FactError as refusal:
        raise InputError(f"--drill-down {module}: {refusal.reason}") from refusal
    if not found:
        yield f"{module} computed nothing in this batch"
    for step in found:
        yield f"{step.module} {step.name}  {step.line}"
        yield from (f"    {value}" for value in step.values)
