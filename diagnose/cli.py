"""The diagnose command. This is the only file of the package that knows the trainer: --config is read by it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from diagnose.commands.completion import completion
from diagnose.commands.curves import curves
from diagnose.commands.data import data
from diagnose.commands.drill import drill
from diagnose.commands.info import diff, env, explain, list_probes
from diagnose.commands.memory import memory
from diagnose.commands.nan_bisect import nan_bisect
from diagnose.commands.options import TrainerHooks
from diagnose.commands.overfit import overfit
from diagnose.commands.precision import precision
from diagnose.commands.preflight import preflight
from diagnose.commands.release import release
from diagnose.commands.run import run
from diagnose.commands.samples import samples
from diagnose.commands.serve import serve
from diagnose.terminal import terminal
from diagnose.version import __version__

EPILOG = """
\b
Examples:
  diagnose preflight --config my.yaml
  diagnose preflight --subject my_project.training:facts
  diagnose explain "loss is nan"
  diagnose completion bash --install       complete commands with the Tab key
"""


def config_names() -> list[str]:
    from trainer.paths import shipped_names

    return shipped_names()


@click.group(cls=terminal.CommandGroup, config_command="diagnose preflight", configs=config_names, epilog=EPILOG)
@click.version_option(__version__, message="gonogo %(version)s")
@click.pass_context
def main(context: click.Context) -> None:
    """Decide whether a training run may start, and say why not."""
    context.obj = TrainerHooks(facts_from, replay_of, without_weights, manifest_facts, configured_manifests)


COMMANDS = (
    preflight, run, samples, data, memory, overfit, precision, nan_bisect, curves, drill, release, serve, list_probes,
    explain, diff, env, completion,
)  # fmt: skip
for command in COMMANDS:
    main.add_command(command)


def facts_from(
    config: str | None, overrides: Sequence[str], subject: str | None, checkpoint: Path | None = None
) -> dict[str, Any]:
    """The facts that --config (at a checkpoint, where one is named) or --subject stand for."""
    if (config is None) == (subject is None):
        raise click.UsageError("name what to look at: --config FILE or --subject package.module:function, one of them")
    if subject is not None:
        from diagnose.commands.subject import subject_facts

        return subject_facts(subject)
    resolved = resolved_config(str(config), overrides)
    if checkpoint is not None:
        from trainer.loop.checkpoints.load_for_diagnosis import facts_at_checkpoint

        return facts_at_checkpoint(resolved, checkpoint)
    return {"config": resolved}


def without_weights(config: str, overrides: Sequence[str]) -> dict[str, Any]:
    """The facts for predicting memory: weights that --config names are not read."""
    from trainer.facts_without_weights import facts_without_weights

    return facts_without_weights(resolved_config(config, overrides))


def resolved_config(config: str, overrides: Sequence[str]) -> Any:
    """The configuration as `train` will run it."""
    from diagnose.api import fits
    from trainer.config import load
    from trainer.config.machine_limits import require_possible
    from trainer.paths import find_config
    from trainer.predicted_memory import with_auto_batch_size

    return with_auto_batch_size(require_possible(load(find_config(config), overrides)), fits)


def replay_of(recording: Path) -> Any:
    """A recorded step of our trainer."""
    from trainer.loop.guard.open_recording import open_recording

    return open_recording(recording)


def manifest_facts(*places: Any) -> dict[str, Any]:
    """The facts that a bare manifest stands for."""
    from trainer.data.manifest_facts import manifest_facts

    return manifest_facts(*places)


def configured_manifests(config: Any) -> dict[str, Any]:
    """The manifests of a configuration, each read once."""
    from trainer.data.manifest_facts import configured_manifests

    return configured_manifests(config)
