"""Options that the commands of train share."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from trainer.config import Resolved

Results = Sequence[Any]

log = logging.getLogger(__name__)

FILE = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path)
ROWS = click.IntRange(min=1)
EPOCHS = click.FloatRange(min=0, min_open=True)


def config_options(multiple: bool = False) -> Callable[[Any], Any]:
    """The two options that name a configuration and change values in it."""
    config = click.option(
        "--config",
        "-c",
        multiple=multiple,
        metavar="FILE",
        help="A YAML file, or the bare name of a shipped one" + ("; may be repeated." if multiple else "."),
    )
    values = click.option(
        "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override one value; may be repeated."
    )
    return lambda command: config(values(command))


def diagnosis_options(command: Any) -> Any:
    """The options of the preflight and of the guard."""
    guard = click.option(
        "--guard",
        type=click.Choice(["off", "warn", "stop"]),
        default="stop",
        help="What an error in a step that was made does to the run.",
    )
    skip = click.option(
        "--skip-preflight", metavar="REASON", help="Start without the preflight; the reason is written down."
    )
    return skip(guard(command))


def smoke_options(command: Any) -> Any:
    """The options of a smoke run."""
    for option in (
        click.option(
            "--detect-anomaly/--no-detect-anomaly", default=True, help="In a smoke run: find NaN in backward."
        ),
        click.option("--print-every", type=ROWS, default=1, metavar="N", help="In a smoke run: tell every N-th step."),
        click.option(
            "--debug-steps",
            type=click.IntRange(min=0),
            default=0,
            envvar="DEBUG_STEPS",
            metavar="N",
            help="Only so many first steps, told in detail, and an evaluation; 0 is the real run.",
        ),
    ):
        command = option(command)
    return command


def resolve(config: str, overrides: tuple[str, ...]) -> "Resolved":
    """The configuration, with notices of what in it is no longer needed."""
    from trainer.config import load
    from trainer.paths import find_config

    resolved = load(find_config(config), overrides)
    for notice in resolved.notices:
        log.info("note: %s", notice)
    return resolved
