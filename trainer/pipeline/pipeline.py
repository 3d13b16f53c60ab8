"""prepare → split → train → evaluate → charts, for one or several configurations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError
from diagnose.common.progress import log_line
from trainer.data.subset import Subset
from trainer.pipeline.steps import (
    StepCounter,
    charts_step,
    data_step,
    evaluate_step,
    require_different_folders,
    train_step,
)

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.evaluation.evaluate import Scores
    from trainer.loop.guard.protocol import GuardProtocol

# Whether a run may start: the verdict in a line, or an exception.
Gate = Callable[["Resolved"], str]
MakeGuard = Callable[[], "GuardProtocol | None"]  # the guard of one run


@dataclass(frozen=True)
class PipelineResult:
    """The folders of the runs, their scores and charts."""

    runs: tuple[Path, ...]
    scores: tuple["Scores", ...]
    charts: tuple[Path, ...]


def pipeline(
    resolved: Sequence["Resolved"],
    gate: Gate | None = None,
    epochs: float | None = None,
    subset: Subset = None,
    make_guard: MakeGuard = lambda: None,
) -> PipelineResult:
    """Run all steps; reuses what is up to date."""
    configs = [one.config for one in resolved]
    if not configs:
        raise InputError("no configuration to run; pass at least one with --config FILE")
    require_different_folders(configs)
    step = StepCounter(3 + len(configs))
    step.next("Prepare data: clean the manifest, split by video")
    for config in configs:
        data_step(config)
    for one in resolved:
        step.next(f"Train {one.config.output.experiment_name}")
        if gate:
            log_line(f"      preflight: {gate(one)}")
        train_step(one, epochs, subset, make_guard())
    step.next("Evaluate on the test set")
    scores = [score for config in configs for score in evaluate_step(config, {"": None}, subset)]
    step.next("Plot charts")
    charts = charts_step(configs, scores)
    return PipelineResult(tuple(config.output.dir for config in configs), tuple(scores), charts)
