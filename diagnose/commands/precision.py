"""`diagnose precision`: what becomes of a run in fp16 and bf16, and which modules must stay in float32."""

from pathlib import Path

import click

from diagnose.commands.options import FILE, Target, target_options
from diagnose.commands.subject import take_precision
from diagnose.terminal import terminal


@click.command("precision")
@target_options
@click.option("--precision", type=click.Choice(["fp16", "bf16"]), help="Judge this one; else the run's own, else fp16.")
@click.option("--top", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Modules to list.")
@click.option("--json", "json_path", type=FILE, help="Write the comparison as JSON.")
def precision(context: click.Context, target: Target, precision: str | None, top: int, json_path: Path | None) -> None:
    """Show what overflows in fp16 and bf16, and what needs fp32.

    Compares float32, pure fp16 and autocast on the first batch.

    One float32 pass records the magnitude of every result and gradient. Then each 16-bit way is run with real half
    kernels: model.half(), autocast as a CPU does it, and autocast after the list of a GPU (norms, softmax, exp, pow
    and sum in float32), so that a machine without a GPU tells what will happen on one. Where a step is not finite,
    it is followed to the first operation at fault, and the fewest modules to keep in float32 are found by trying.
    The answer ends with their names for training.keep_fp32 and with code for any other trainer.

    Exit code 0 when the judged precision is sound, 1 when it is not, 2 when nothing could be compared.
    """
    from diagnose import api
    from diagnose.common.atomic_write import write_atomically
    from diagnose.render.precision import as_json, precision_lines
    from diagnose.render.progress import preflight_progress

    facts = target.facts()
    own = take_precision(facts)
    judged = precision or (own if own in ("fp16", "bf16") else None)
    with preflight_progress() as watcher:
        found = api.precision(**facts, precision=judged, watcher=watcher)
    terminal.print_result("\n".join(precision_lines(found, top)))
    if json_path:
        write_atomically(json_path, as_json(found))
    context.exit(int(any(finding.severity == "error" for finding in found.findings)))
