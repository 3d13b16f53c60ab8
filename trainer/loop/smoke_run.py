"""The smoke run: the first steps of the real run, told in detail, and an evaluation; in a folder of its own."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainer.loop.run import is_main_process, with_epochs
from trainer.loop.runtime.log_file import log_to_file
from trainer.loop.runtime.resource_errors import explain_resource_errors
from trainer.loop.runtime.run_lock import hold_run_lock
from trainer.loop.smoke_output import PrintingGuard, is_score, sample_lines, score_lines

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.loop.guard.protocol import GuardProtocol
    from trainer.loop.trainer import RunTrainer

FOLDER = "smoke"
DEV_ROWS = 50  # of the evaluation, where no subset is asked for


@dataclass(frozen=True)
class SmokeSettings:
    """How many steps, every how manieth is told, and whether torch looks for NaN in every backward operation."""

    steps: int = 20
    print_every: int = 1
    detect_anomaly: bool = True


def smoke(
    resolved: Resolved,
    plan: SmokeSettings,
    watch: GuardProtocol,
    epochs: float | None = None,
    subset: int | None = None,
) -> dict[str, float]:
    """The figures of the evaluation after the steps; `watch` has seen everything. The schedule is the real run's."""
    aside = _aside(with_epochs(resolved, epochs))
    with ExitStack() as held:
        if is_main_process():
            held.enter_context(hold_run_lock(aside.config.output.dir))
            held.enter_context(log_to_file(aside.config.output.dir))
        trainer = _prepared(aside, subset, plan)
        told = PrintingGuard(watch, trainer, plan.print_every)
        trainer.guarded_by(told, lag=0)  # every step is printed, so it is waited for anyway
        with explain_resource_errors(trainer):
            _step(trainer, plan)
            return _evaluate(trainer, told)


def _aside(resolved: Resolved) -> Resolved:
    """The same run in a folder of its own, without what would save or report."""
    quiet = {"save_strategy": "no", "eval_strategy": "no", "load_best_model_at_end": False, "report_to": "none"}
    training = resolved.config.training.model_copy(update={**quiet, "predict_with_generate": True})
    output = resolved.config.output.model_copy(update={"dir": resolved.config.output.dir / FOLDER})
    return replace(resolved, config=resolved.config.model_copy(update={"training": training, "output": output}))


def _prepared(resolved: Resolved, subset: int | None, plan: SmokeSettings) -> RunTrainer:
    from transformers import set_seed
    from transformers.utils.logging import disable_progress_bar

    from trainer.data.dataset import open_split
    from trainer.loop.checkpoints.bit_exact_load import make_bit_exact
    from trainer.loop.phase_callbacks import StopAfterStepsCallback, phase_callbacks
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import build

    config = resolved.config
    disable_progress_bar()
    set_seed(config.training.seed)
    train_set = open_split(config, "train", subset)
    has_dev = (config.splits / "dev.csv").exists()
    eval_set = open_split(config, "dev" if has_dev else "train", subset or DEV_ROWS)
    parts = build(config, train_set.texts())
    make_bit_exact(parts)
    trainer = RunTrainer(parts, train_set, None, [*phase_callbacks(parts), StopAfterStepsCallback(plan.steps)])
    trainer.eval_dataset, trainer.eval_name = eval_set, "Dev" if has_dev else "Train"
    return trainer


def _step(trainer: RunTrainer, plan: SmokeSettings) -> None:
    import torch

    # It ends a bad backward pass at once: the others would wait for one process's gradient, and who only wants to be
    # warned, or nothing, wants the steps that follow.
    looks = plan.detect_anomaly and trainer.args.world_size == 1 and trainer.sentinel.watch.mode == "stop"
    with torch.autograd.set_detect_anomaly(looks), trainer.closing(), warnings.catch_warnings():
        # pages of a forward call's frames: nan-bisect says in one line what they lead to
        warnings.filterwarnings("ignore", message="Error detected in|Anomaly Detection has been enabled")
        trainer.train()


def _evaluate(trainer: RunTrainer, told: PrintingGuard) -> dict[str, float]:
    metrics = trainer._evaluate(None, None)
    figures = {name.removeprefix("eval_"): value for name, value in metrics.items()}
    told.say("=== Smoke eval ===")
    for line in (*score_lines(figures, trainer.eval_name), *sample_lines(trainer.last_texts)):
        told.say(line)
    return figures


def has_scores(figures: dict[str, float]) -> bool:
    """Whether the evaluation gave a number, beside the loss."""
    return any(value == value for name, value in figures.items() if is_score(name))
