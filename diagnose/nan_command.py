"""`diagnose nan-bisect`: where a value that is not finite was born."""

from collections.abc import Iterator
from typing import Any

import click

from diagnose import terminal
from diagnose.errors import InputError
from diagnose.options import looked_at


@click.command("nan-bisect", cls=terminal.Command)
@looked_at
@click.option("--precision", type=click.Choice(["fp32", "fp16", "bf16"]), default="fp32", help="Run the step in it.")
@click.option("--batch", "number", type=click.IntRange(min=0), metavar="N", help="Only batch N, counted from 0.")
@click.option("--drill-down", "module", metavar="MODULE", help="Print every operation inside one module instead.")
@click.pass_context
def nan_bisect(
    context: click.Context,
    config: str | None,
    overrides: tuple[str, ...],
    subject: str | None,
    precision: str,
    number: int | None,
    module: str | None,
) -> None:
    """Goes through the batches to the first whose step is not finite, and names row, module, operation and line.

    A step that is finite costs one plain step. Exit code 0 when every batch is finite, 1 when one is not.
    """
    from diagnose import api
    from diagnose.cli import facts_from
    from diagnose.render.live import watching

    facts = facts_from(config, overrides, subject)
    if module is not None:
        terminal.answer("\n".join(_operations(facts, module)))
        return
    with watching() as watcher:
        origin = api.nan_bisect(**facts, precision=precision, number=number, watcher=watcher)
    if origin is None:
        terminal.answer(
            f"every value is finite in {precision}: {'batch ' + str(number) if number is not None else 'all batches'}"
        )
        return
    terminal.answer("\n".join(_told(origin)))
    context.exit(1)


def _told(origin: Any) -> Iterator[str]:
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
    if origin.line:
        yield f"line       {origin.line}"
    if origin.visits:
        yield "the last modules before it"
    for visit in origin.visits:
        yield f"  {visit.module} ({visit.kind}, call {visit.call})"
        yield from (f"    {value}" for value in visit.values)


def _operations(facts: dict[str, Any], module: str) -> Iterator[str]:
    from diagnose.engine import installed
    from diagnose.facts import Refusal

    try:
        found = installed().context({**facts, "search": {"module": module}}).get("operations_inside")
    except Refusal as refusal:
        raise InputError(f"--drill-down {module}: {refusal.reason}") from refusal
    for step in found:
        yield f"{step.module} {step.name}  {step.line}"
        yield from (f"    {value}" for value in step.values)
