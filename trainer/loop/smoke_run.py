"""The smoke run: the first steps of the real run, printed, and an evaluation; in its own folder."""

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
    from trainer.data.subset import Subset
    from trainer.loop.guard.protocol import GuardProtocol
    from trainer.loop.trainer import RunTrainer

FOLDER = "smoke"
DEV_ROWS = 50  # of the evaluation, without --subset


@dataclass(frozen=True)
class SmokeSettings:
    """The number of steps, how often one is printed, and whether torch detects anomalies in backward."""

    steps: int = 20
    print_every: int = 1
    detect_anomaly: bool = True


def smoke(
    resolved: Resolved,
    settings: SmokeSettings,
    guard: GuardProtocol,
    epochs: float | None = None,
    subset: Subset = None,
) -> dict[str, float]:
    """Make the steps and evaluate; the metrics. The learning rate schedule is that of the real run."""
    resolved = _in_own_folder(with_epochs(resolved, epochs))
    with ExitStack() as stack:
        if is_main_process():
            stack.enter_context(hold_run_lock(resolved.config.output.dir))
            stack.enter_context(log_to_file(resolved.config.output.dir))
        trainer, eval_name = _build(resolved, subset, settings)
        printing = PrintingGuard(guard, trainer, settings.print_every)
        trainer.set_guard(printing, lag=0)  # every step is printed, so it is waited for anyway
        with explain_resource_errors(trainer):
            _train(trainer, settings.detect_anomaly and guard.mode == "stop")
            return _evaluate(trainer, printing, eval_name)


def _in_own_folder(resolved: Resolved) -> Resolved:
    """The same run in its own folder, without saving, evaluating or reporting."""
    quiet = {"save_strategy": "no", "eval_strategy": "no", "load_best_model_at_end": False, "report_to": ()}
    training = resolved.config.training.model_copy(update={**quiet, "predict_with_generate": True})
    output = resolved.config.output.model_copy(update={"dir": resolved.config.output.dir / FOLDER})
    return replace(resolved, config=resolved.config.model_copy(update={"training": training, "output": output}))


def _build(resolved: Resolved, subset: Subset, settings: SmokeSettings) -> tuple[RunTrainer, str]:
    """The trainer, and the name of the split it is evaluated on."""
    from transformers import set_seed
    from transformers.utils.logging import disable_progress_bar

    from trainer.data.dataset import SpeechDataset
    from trainer.data.open_split import open_split
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
    if isinstance(eval_set, SpeechDataset):
        eval_set = eval_set.without_augmentation() or eval_set
    bundle = build(config, train_set.texts())
    make_bit_exact(bundle)
    trainer = RunTrainer(bundle, train_set, None, [*phase_callbacks(bundle), StopAfterStepsCallback(settings.steps)])
    trainer.eval_dataset = eval_set
    return trainer, "Dev" if has_dev else "Train"


def _train(trainer: RunTrainer, detect_anomaly: bool) -> None:
    import torch

    # It ends a bad backward pass at once, while the other processes wait for that gradient.
    detect = detect_anomaly and trainer.args.world_size == 1
    with torch.autograd.set_detect_anomaly(detect), trainer.close_callbacks(), warnings.catch_warnings():
        # pages of a forward call's frames: nan-bisect says in one line what they lead to
        warnings.filterwarnings("ignore", message="Error detected in|Anomaly Detection has been enabled")
        trainer.train()


def _evaluate(trainer: RunTrainer, printing: PrintingGuard, eval_name: str) -> dict[str, float]:
    metrics = trainer._evaluate(None, None)
    figures = {name.removeprefix("eval_"): value for name, value in metrics.items()}
    printing.print_line("=== Smoke eval ===")
    for line in (*score_lines(figures, eval_name), *sample_lines(trainer.last_texts)):
        printing.print_line(line)
    return figures


def has_scores(figures: dict[str, float]) -> bool:
    """Whether the evaluation gave a metric besides the loss."""
    return any(value == value for name, value in figures.items() if is_score(name))
