"""Options that the commands of train share."""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from trainer.config import Resolved

Results = Iterable[Any]

log = logging.getLogger(__name__)

FILE = click.Path(path_type=Path)
FOLDER = click.Path(path_type=Path)
ROWS = click.IntRange(min=1)
EPOCHS = click.FloatRange(min=0, min_open=True)
EXAMPLES = """
\b
Examples:
  train demo                               all steps, on synthesized speech
  train --config dev_whisper --dry-run
  train --config my.yaml --set training.batch_size=2 --subset 50 --epochs 1
  train --config my.yaml --debug-steps 20  a smoke run: 20 steps in detail
  train --config my.yaml --resume auto
  train completion bash --install          complete commands with the Tab key
"""
HELP: dict[str, Any] = {"epilog": EXAMPLES, "config_command": "train"}


class SubsetType(click.ParamType):
    """N, or N,M: M rows of the other splits than train."""

    name = "subset"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        parts = [ROWS(part.strip(), param, ctx) for part in str(value).split(",")]
        if len(parts) > 2:
            self.fail(f"{value} has {len(parts)} numbers; give N, or N,M for train and the other splits", param, ctx)
        return parts[0] if len(parts) == 1 else tuple(parts)


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


def limit_options(command: Any) -> Any:
    """--epochs and --subset; the latter as `trainer.data.subset.Subset`."""
    text = "Use the first N rows of each split; N,M: N of train, and M of dev and test."
    subset = click.option("--subset", type=SubsetType(), metavar="N[,M]", help=text)
    return click.option("--epochs", type=EPOCHS, metavar="N", help="Train for N epochs instead.")(subset(command))


def diagnosis_options(command: Any) -> Any:
    """The options of the preflight and of the guard."""
    guard = click.option(
        "--guard",
        type=click.Choice(["off", "warn", "stop"]),
        default="stop",
        help="What to do with a run whose step has an error.",
    )
    skip = click.option(
        "--skip-preflight", metavar="REASON", help="Start without the preflight; the reason is recorded."
    )
    signed = click.option(
        "--require-signed", is_flag=True, help="Accept only a receipt signed with the key of GONOGO_SIGNING_KEY."
    )
    return skip(signed(guard(command)))


def smoke_options(command: Any) -> Any:
    """The options of a smoke run."""
    for option in (
        click.option(
            "--detect-anomaly/--no-detect-anomaly", default=True, help="In a smoke run: find NaN in backward."
        ),
        click.option("--print-every", type=ROWS, default=1, metavar="N", help="In a smoke run: print every N-th step."),
        click.option(
            "--debug-steps",
            type=click.IntRange(min=0),
            default=0,
            envvar="DEBUG_STEPS",
            metavar="N",
            help="A smoke run: N steps in detail and an evaluation; 0 is the real run.",
        ),
    ):
        command = option(command)
    return command


def run_options(command: Any) -> Any:
    """All options of a training run, in the order of the help."""
    resume = "Resume from a checkpoint; auto takes the newest complete one."
    places = "Print every value and the place it comes from."
    for option in (
        smoke_options,
        diagnosis_options,
        click.option("--print-config", is_flag=True, help=places),
        click.option("--dry-run", is_flag=True, help="Print the plan of the run without training."),
        click.option("--resume", metavar="DIR|auto", help=resume),
        limit_options,
        config_options(),
    ):
        command = option(command)
    return command


def require_consistent(debug_steps: int, resume: str | None, require_signed: bool, skip_preflight: str | None) -> None:
    """Refuse options of a run that contradict each other."""
    if debug_steps and resume:
        raise click.UsageError("a smoke run starts at step 0: use either --resume or --debug-steps")
    if require_signed and skip_preflight is not None:
        raise click.UsageError("use either --require-signed or --skip-preflight")


def resolve(config: str, overrides: tuple[str, ...]) -> "Resolved":
    """The configuration, with notices of what in it is no longer needed."""
    from trainer.config import load
    from trainer.config.machine_limits import require_possible
    from trainer.paths import find_config

    resolved = require_possible(load(find_config(config), overrides))
    for notice in resolved.notices:
        log.info("note: %s", notice)
    return resolved
