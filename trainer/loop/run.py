"""One run from configuration to saved model: locked, logged and resumable."""

from __future__ import annotations

import logging
import os
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from diagnose.common.atomic_write import write_files
from trainer.loop.checkpoints.resume import require_same_run, resume_point, warn_of_changes
from trainer.loop.checkpoints.store import archive_old_checkpoints, checkpoints, recover
from trainer.loop.guard.recording import remove_partial_recordings
from trainer.loop.run_result import RESULTS, RunResult, finish
from trainer.loop.runtime.log_file import log_to_file
from trainer.loop.runtime.resource_errors import explain_resource_errors
from trainer.loop.runtime.resume_command import resume_command
from trainer.loop.runtime.run_lock import hold_run_lock

if TYPE_CHECKING:
    from pathlib import Path

    from trainer.config import Resolved
    from trainer.data.dataset import SplitDataset
    from trainer.data.subset import Subset
    from trainer.loop.guard.protocol import GuardProtocol
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import ModelBundle

log = logging.getLogger(__name__)


def train(
    resolved: Resolved,
    *,
    resume: str | None = None,
    epochs: float | None = None,
    subset: Subset = None,
    guard: GuardProtocol | None = None,
    profile: bool = False,
) -> RunResult:
    """Train a configuration; `epochs` and `subset` shorten the run, `guard` judges every step."""
    resolved = with_epochs(resolved, epochs)
    run = resolved.config.output.dir
    with ExitStack() as stack:
        if is_main_process():
            stack.enter_context(hold_run_lock(run))
            stack.enter_context(log_to_file(run))
            recover(run, resolved.config.training.save_total_limit if resume else None)
            remove_partial_recordings(run)
        _barrier()
        checkpoint = resume_point(resume, run)
        trainer = _build(resolved, checkpoint, subset)
        if guard is not None and guard.mode != "off":
            trainer.set_guard(guard)
        if profile:
            from trainer.loop.profiler import ProfilerCallback

            trainer.add_callback(ProfilerCallback(run / "profile"))
        with explain_resource_errors(trainer):
            return _run_training(trainer, checkpoint, command=resume_command(resolved, epochs, subset))


def build_trainer(
    resolved: Resolved, bundle: ModelBundle, train_set: SplitDataset, eval_set: SplitDataset | None
) -> RunTrainer:
    """The trainer with all its callbacks, ready to `train()`."""
    from trainer.loop.callbacks import callbacks
    from trainer.loop.checkpoints.bit_exact_load import make_bit_exact
    from trainer.loop.evaluation_log import EvaluationLogCallback
    from trainer.loop.trainer import RunTrainer

    make_bit_exact(bundle)
    trainer = RunTrainer(bundle, train_set, eval_set, callbacks(bundle, evaluates=eval_set is not None))
    trainer.add_callback(EvaluationLogCallback(trainer))
    return trainer


def with_epochs(resolved: Resolved, epochs: float | None) -> Resolved:
    """The same run for so many epochs, without a limit on steps."""
    if epochs is None:
        return resolved
    training = resolved.config.training.model_copy(update={"num_train_epochs": float(epochs), "max_steps": -1})
    return replace(resolved, config=resolved.config.model_copy(update={"training": training}))


def is_main_process() -> bool:
    """Whether this process is the first, or the only one."""
    return os.environ.get("RANK", "0") == "0"


def _build(resolved: Resolved, checkpoint: Path | None, subset: Subset) -> RunTrainer:
    from transformers import set_seed
    from transformers.utils.logging import disable_progress_bar

    from trainer.data.open_split import open_split
    from trainer.data.prepare import needed_texts
    from trainer.loop.checkpoints.state_files import saved_step
    from trainer.models.bundle import build, load_bundle

    config = resolved.config
    if checkpoint is not None:
        require_same_run(checkpoint, config)
        saved_step(checkpoint)
    disable_progress_bar()
    set_seed(config.training.seed)
    train_set = open_split(config, "train", subset)
    eval_set = open_split(config, "dev", subset) if config.training.eval_strategy != "no" else None
    texts = [row[column] for row in train_set.rows for column in needed_texts(config)]
    bundle = load_bundle(checkpoint, config) if checkpoint else build(config, texts)
    trainer = build_trainer(resolved, bundle, train_set, eval_set)
    if checkpoint is not None:
        warn_of_changes(checkpoint, trainer.batch_order_inputs())
    if is_main_process():
        _archive_earlier_run(config.output.dir, resolved.to_yaml(), fresh=checkpoint is None)
    return trainer


def _archive_earlier_run(run: Path, resolved: str, fresh: bool) -> None:
    """Move away what an earlier run left, once all is ready to start."""
    from trainer.models.bundle import RESOLVED

    write_files({run / RESOLVED: resolved})
    (run / RESULTS).unlink(missing_ok=True)
    archive = archive_old_checkpoints(run) if fresh else None
    if archive:
        log.warning("checkpoints of an earlier run were moved to %s; --resume uses them", archive)


def _run_training(trainer: RunTrainer, checkpoint: Path | None, command: str) -> RunResult:
    from trainer.loop.runtime.interrupt import InterruptCallback

    interrupt = InterruptCallback(trainer.any_process if trainer.args.world_size > 1 else None)
    trainer.callback_handler.callbacks.insert(1, interrupt)  # after the default flow, before what depends on it
    with interrupt.handle_signals(), trainer.close_callbacks():
        output = trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    if interrupt.stopping:
        saved = checkpoints(trainer.run)[-1]
        raise KeyboardInterrupt(
            f"stopped after step {trainer.state.global_step}; {saved} is complete\nresume with: {command}"
        )
    return finish(trainer, output, checkpoint)


def _barrier() -> None:
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        from accelerate import PartialState

        PartialState().wait_for_everyone()
