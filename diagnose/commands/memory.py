"""`diagnose memory`: the peak of a run before it starts, and what would make it fit."""

from pathlib import Path

import click

from diagnose.commands.options import FILE, Target, target_options
from diagnose.terminal import terminal


@click.command("memory")
@target_options
@click.option("--device-memory", metavar="SIZE", help="Memory of the GPU to train on, such as 4GB; else this machine.")
@click.option("--device", metavar="NAME", help="The GPU to train on, such as T4 or H100: its memory and its speed.")
@click.option("--top", type=click.IntRange(min=1), default=8, show_default=True, metavar="N", help="Modules to list.")
@click.option("--json", "json_path", type=FILE, help="Write the prediction as JSON.")
def memory(
    context: click.Context,
    target: Target,
    device_memory: str | None,
    device: str | None,
    top: int,
    json_path: Path | None,
) -> None:
    """Predict the peak memory of a run; rank what would lower it.

    One step is taken with tensors that have shapes and no values: nothing of the model is allocated, and weights named
    in a configuration are not read, so that a large model can be looked at on a small machine without network.

    Exit code 0 when the run fits, 1 when it does not, 2 when it cannot be predicted.
    """
    from diagnose import api
    from diagnose.common.atomic_write import write_atomically
    from diagnose.render.memory import DOES_NOT_FIT, as_json, duration_line, memory_lines, verdict_of
    from diagnose.render.progress import preflight_progress

    with preflight_progress() as watcher:
        facts = target.facts_without_weights()
        stated = {"device_memory": device_memory, "device_name": device}
        facts |= {name: value for name, value in stated.items() if value}
        plan, duration = api.memory_and_duration(facts, watcher)
    terminal.print_result("\n".join((*memory_lines(plan, top), "", duration_line(duration))))
    if json_path:
        write_atomically(json_path, as_json(plan))
    context.exit(int(verdict_of(plan) == DOES_NOT_FIT))
