"""`diagnose drill`: are known faults found? They are put into the subject itself, one at a time."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diagnose.commands.options import FILE, Target, target_options
from diagnose.terminal import terminal

if TYPE_CHECKING:
    from diagnose.drill.trial import Build


@click.command()
@target_options
@click.option("--fault", "ids", multiple=True, metavar="ID", help="Only this fault, or all that match (run_*).")
@click.option("--seeds", type=click.IntRange(min=1), default=1, help="How often to inject each, with other seeds.")
@click.option("--processes", type=click.IntRange(min=1), help="Worker processes; by default one for each core.")
@click.option("--list", "only_list", is_flag=True, help="List the faults and exit.")
@click.option("--json", "json_path", type=FILE, help="Write every trial as JSON.")
def drill(
    context: click.Context,
    target: Target,
    ids: tuple[str, ...],
    seeds: int,
    processes: int | None,
    only_list: bool,
    json_path: Path | None,
) -> None:
    """Inject known faults into your run and show which are found.

    Each fault goes into a fresh copy of the run, in a process of its own and in a folder of its own: your model, your
    data and your outputs are never touched. Exit code 0 when every fault that applies is caught and nothing is
    reported without one, 1 when not, 2 if inconclusive.

    \b
    Examples: diagnose drill --config demo_hybrid
              diagnose drill --config my.yaml --fault encoder_detached --seeds 3
    """
    from diagnose.common.atomic_write import write_atomically
    from diagnose.drill.run_drill import DrillPlan
    from diagnose.drill.run_drill import drill as run
    from diagnose.drill.select_faults import format_faults, select_faults
    from diagnose.engine.engine import installed
    from diagnose.render.drill import show
    from diagnose.render.drill_progress import drill_progress

    faults = select_faults(ids)
    if only_list:
        terminal.print_result("\n".join(format_faults(faults)))
        return
    name, build = subject_builder(target)
    plan = DrillPlan(name, build, faults, seeds, processes or 0)
    with drill_progress(plan) as on_result:
        score = run(installed(), plan, on_result)
    show(score, terminal.console())
    if json_path:
        write_atomically(json_path, json.dumps(score.as_data(), indent=1, ensure_ascii=False) + "\n")
    context.exit(score.exit_code if score.whole else 130)


def subject_builder(target: Target) -> tuple[str, "Build"]:
    """The subject's name, and how it is built with a seed: seed 0 is the run as it is configured."""
    from diagnose.commands.subject import RankFacts, subject_facts
    from diagnose.engine.seeding import seed_all

    if target.subject is not None and target.config is None:
        RankFacts(target.subject)  # or says what is wrong
        return target.subject, partial(subject_facts, target.subject)
    usual = target.facts()["config"].config.training.seed  # or says what is wrong

    def from_config(seed: int) -> Mapping[str, Any]:
        seed_all(seed)
        overrides = [f"training.seed={usual + seed}"] * bool(seed)
        return replace(target, overrides=(*target.overrides, *overrides)).facts()

    return str(target.config), from_config
