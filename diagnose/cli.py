"""The diagnose command."""

import click

from diagnose import repair as repairs
from diagnose.version import __version__


@click.group()
@click.version_option(__version__)
def main() -> None:
    """Decides whether a training run may start, and says why not."""


@main.command()
@click.option("--repair", is_flag=True, help="Make a CUDA build of torchaudio importable beside a CPU torch.")
@click.option("--undo-repair", is_flag=True, help="Put back what --repair set aside.")
def env(repair: bool, undo_repair: bool) -> None:
    """The environment."""
    if undo_repair:
        click.echo("put back: " + (", ".join(repairs.undo()) or "nothing was set aside"))
    if repair:
        click.echo(repairs.repair())
