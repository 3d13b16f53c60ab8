"""The command train init: a configuration for data of one's own."""

from pathlib import Path
from typing import Any

import click

from trainer.commands.options import FOLDER, Results

COLUMNS = ("audio", "transcript", "translation", "duration")


@click.command(epilog="Example: train init --manifest clips.csv --column transcript=sentence")
@click.argument("directory", metavar="[DIR]", default=".", type=FOLDER)
@click.option(
    "--manifest",
    metavar="FILE",
    help="CSV, TSV, JSON lines, a folder of clips, or a Hugging Face dataset (saved or on the hub).  [default: in DIR]",
)
@click.option("--model", type=click.Choice(["whisper", "e2e", "hybrid", "mt5"]), help="Which model.  [default: chosen]")
@click.option(
    "--weights",
    type=click.Choice(["auto", "pretrained", "random"]),
    default="auto",
    help="Fine-tune pretrained weights, or start from random ones; auto: by the machine.",
)
@click.option("--language", default="", metavar="CODE", help="Language of the texts, such as en.  [default: guessed]")
@click.option(
    "--column", "columns", multiple=True, metavar="NAME=COLUMN", help="Name a column: audio=clip; may be repeated."
)
@click.option("--force", is_flag=True, help="Overwrite an earlier configuration and its splits.")
def init(directory: Path, columns: tuple[str, ...], **options: Any) -> Results:
    """Write a configuration for your own data.

    It looks at the manifest, the clips and this machine, writes the splits, and says what it found, what it guessed
    and what to type next.
    """
    from trainer.init.write import InitOptions
    from trainer.init.write import init as write

    return write(InitOptions(directory=directory, columns=dict(map(_named, columns)), **options))


def _named(text: str) -> tuple[str, str]:
    from trainer.data.columns import SHORT_NAMES

    name, equals, column = text.partition("=")
    if name not in SHORT_NAMES or not equals or not column:
        raise click.UsageError(f"--column {text}: expected NAME=COLUMN with one of {', '.join(COLUMNS)} as NAME")
    return SHORT_NAMES[name], column
