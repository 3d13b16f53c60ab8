"""The commands train prepare and train split. Each returns what the cli prints."""

from pathlib import Path

import click

from trainer.commands.options import FILE, FOLDER, Results, config_options, resolve
from trainer.paths import clean_manifest


@click.command(epilog="Example: train prepare --input data/export/manifest.tsv --output data/export/manifest_clean.tsv")
@config_options()
@click.option("--input", "source", type=FILE, help="The manifest to clean.  [default: paths.manifest_path]")
@click.option("--output", type=FILE, help="Where the clean one goes.  [default: next to it, with _clean in its name]")
@click.option("--data-root", type=FOLDER, help="What audio paths are relative to.  [default: paths.data_root, or .]")
def prepare(
    config: str | None, overrides: tuple[str, ...], source: Path | None, output: Path | None, data_root: Path | None
) -> Results:
    """Clean a manifest: texts, and clips that cannot be used.

    Removes markup, extra spaces, empty texts, and clips that are broken, too short or too long. Says how many rows
    each rule changed or removed, and writes the removed ones to a file next to the output.
    """
    from trainer.config import Config
    from trainer.data.columns import configured_columns
    from trainer.data.prepare import needed_texts
    from trainer.data.prepare import prepare as clean

    if source is None and config is None:
        raise click.UsageError(
            "nothing to prepare; pass a manifest with --input FILE, or a configuration with --config"
        )
    settings = resolve(config, overrides).config if config else Config()
    source, needed = source or settings.manifest, needed_texts(settings) if config else ()
    output = output or clean_manifest(source)
    columns = configured_columns(settings) if config else None
    report = clean(source, output, data_root or settings.paths.data_root, settings.audio, needed, columns)
    return [report.table(), f"{report.output}", f"{report.removed_path} (removed rows)"]


@click.command(epilog="Example: train split --input data/export/manifest_clean.tsv --output data/splits")
@config_options()
@click.option("--input", "source", type=FILE, help="The manifest.  [default: the clean one of paths.manifest_path]")
@click.option(
    "--output", type=FOLDER, help="The folder for train.csv, dev.csv and test.csv.  [default: paths.splits_dir]"
)
@click.option(
    "--group",
    help="The column that may not be on two sides.  [default: data.group_column, or one there is]",
)
@click.option("--seed", default=42, help="Another seed, another split; the seed of the training changes nothing here.")
def split(
    config: str | None,
    overrides: tuple[str, ...],
    source: Path | None,
    output: Path | None,
    group: str | None,
    seed: int,
) -> Results:
    """Split a manifest 80/10/10 by video or speaker."""
    from trainer.config import Config
    from trainer.data.columns import configured_columns
    from trainer.data.split import split as divide

    settings = resolve(config, overrides).config if config else Config()
    if not config and (source is None or output is None):
        raise click.UsageError("pass --input FILE and --output FOLDER, or a configuration with --config")
    clean = clean_manifest(settings.manifest)
    source = source or (clean if clean.exists() else settings.manifest)
    columns = configured_columns(settings) if config else None
    report = divide(source, output or settings.splits, group or settings.data.group_column, seed, columns)
    return [report.table(), report.reason]
