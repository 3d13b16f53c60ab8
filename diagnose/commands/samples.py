"""`diagnose samples`: rows of the training set as the model gets them."""

from pathlib import Path

import click

from diagnose.commands.options import FILE, Target, target_options
from diagnose.terminal import terminal

ROWS = click.IntRange(min=1)


@click.command()
@target_options
@click.option("-n", "count", type=ROWS, default=10, show_default=True, metavar="N", help="How many rows.")
@click.option("--html", "html_path", type=FILE, help="Write a page with audio players and pictures of the inputs.")
def samples(context: click.Context, target: Target, count: int, html_path: Path | None) -> None:
    """Show rows as the model gets them: text, labels, shapes, audio.

    For a spot check of input-label pairs before a run. Labels are decoded, and what the loss does not score (-100) is
    shown as masked. Each row is loaded twice: where augmentation changes it, both results are shown.
    """
    from diagnose.common.atomic_write import write_atomically
    from diagnose.common.errors import InputError
    from diagnose.engine.context import FactError
    from diagnose.engine.engine import installed
    from diagnose.page.samples_page import samples_page
    from diagnose.render.progress import preflight_progress
    from diagnose.render.samples import sample_lines

    with preflight_progress(lines=False) as watcher:
        try:
            found = installed().context(target.facts() | {"sample_count": count}, watcher).get("sample_rows")
        except FactError as refusal:
            raise InputError(f"no rows can be shown: {refusal.reason}") from refusal
    terminal.print_result("\n".join(sample_lines(found)))
    if html_path:
        write_atomically(html_path, samples_page(found, f"Samples of {target.config or target.subject}"))
        terminal.log_line(f"page: {html_path}")
